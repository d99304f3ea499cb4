import { execa } from 'execa'

/** What `npm test` does before the tests: the build and all checks of the sources, in parallel. */
const afterBuild: readonly string[][] = [['gen', '--', '--check'], ['types']]

/** Runs a script of package.json. Prints its output at the end, so that parallel outputs do not mix. */
async function passes(script: readonly string[]): Promise<boolean> {
  // As in build.ts, for the compiler that checks the types.
  const options = { all: true, reject: false, env: { GOGC: '400' } } as const
  const result = await execa('npm', ['run', '--silent', ...script], options)
  const seconds = (result.durationMs / 1000).toFixed(1)
  console.log(`${result.failed ? 'FAILED' : 'ok'}: npm run ${script.join(' ')} (${seconds} s)`)
  if (result.all) console.log(result.all)
  return !result.failed
}

/** The examples import the package by its own name, so their types are those of the build. */
async function passesBuild(): Promise<boolean> {
  if (!(await passes(['build']))) return false
  return (await Promise.all(afterBuild.map(passes))).every(Boolean)
}

const results = await Promise.all([passes(['lint']), passesBuild()])
process.exitCode = results.every(Boolean) ? 0 : 1
