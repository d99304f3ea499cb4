import { execa } from 'execa'

/** What `npm test` does before the tests, side by side: the build, which these need, and all checks of the sources. */
const scripts: readonly string[][] = [['build'], ['gen', '--', '--check'], ['types'], ['lint']]

/** Runs a script of package.json. What it prints comes in one piece, so that the outputs of several do not mix. */
async function passes(script: readonly string[]): Promise<boolean> {
  const options = { all: true, reject: false } as const
  const result = await execa('npm', ['run', '--silent', ...script], options)
  const seconds = (result.durationMs / 1000).toFixed(1)
  console.log(`${result.failed ? 'FAILED' : 'ok'}: npm run ${script.join(' ')} (${seconds} s)`)
  if (result.all) console.log(result.all)
  return !result.failed
}

const results = await Promise.all(scripts.map(passes))
process.exitCode = results.includes(false) ? 1 : 0
