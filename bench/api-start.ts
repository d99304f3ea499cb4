import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { median } from './_bench.ts'

const ROUNDS = 15
const GOAL_MS = 15

/** Measures what importing the client costs above `node -e 0`. Fails above the goal. */
export async function benchApiStart(): Promise<void> {
  const folder = fileURLToPath(new URL('../node_modules/.cache/hookbell-bench/', import.meta.url))
  const entryPoints = { start: fileURLToPath(new URL('../src/api/index.ts', import.meta.url)) }
  const shared = { entryPoints, outdir: folder, bundle: true, platform: 'node' } as const
  const external = ['undici']
  await build({ ...shared, external, format: 'esm', outExtension: { '.js': '.mjs' } })
  await build({ ...shared, external, format: 'cjs', outExtension: { '.js': '.cjs' } })
  const cases = {
    nothing: ['-e', '0'],
    import: ['--input-type=module', '-e', `import ${JSON.stringify(`${folder}start.mjs`)}`],
    require: ['-e', `require(${JSON.stringify(`${folder}start.cjs`)})`],
  }
  const times = { nothing: [] as number[], import: [] as number[], require: [] as number[] }
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of ['nothing', 'import', 'require'] as const)
      times[name].push(timeOf(cases[name]))
  for (const name of ['import', 'require'] as const) {
    const above = median(times[name]) - median(times.nothing)
    console.log(`${name} hookbell/api: ${above.toFixed(1)} ms above node -e 0`)
    if (above > GOAL_MS) process.exitCode = 1
  }
}

function timeOf(args: readonly string[]): number {
  const { PATH, HOME } = process.env
  const startedAt = performance.now()
  const { status } = spawnSync(process.execPath, args, { env: { PATH, HOME } })
  if (status !== 0) throw new Error(`node ${args.join(' ')} failed`)
  return performance.now() - startedAt
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchApiStart()
