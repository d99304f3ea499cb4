import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startEmulator } from '../src/emulator/index.ts'
import { cli, median } from './_bench.ts'

const ROUNDS = 15
const GOAL_MS = 60

/** Measures what one call from the shell costs above `node -e 0`, including the response. Fails above the goal. */
export async function benchApiCommand(): Promise<void> {
  const emulator = await startEmulator()
  const { PATH, HOME } = process.env
  const env = {
    PATH,
    HOME,
    HOOKBELL_API_KEY: emulator.apiKey,
    HOOKBELL_API_BASE_URL: emulator.url,
  }
  const call = [cli, 'api', 'computers.get', '--computer-id', emulator.computerId]
  const nothing: number[] = []
  const calls: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    nothing.push(await timeOf(['-e', '0'], env))
    calls.push(await timeOf(call, env))
  }
  await emulator.close()
  const above = median(calls) - median(nothing)
  console.log(`hookbell api computers.get: ${above.toFixed(1)} ms above node -e 0`)
  if (above > GOAL_MS) process.exitCode = 1
}

async function timeOf(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const startedAt = performance.now()
  const [code] = await once(spawn(process.execPath, args, { env, stdio: 'ignore' }), 'exit')
  if (code !== 0) throw new Error(`node ${args.join(' ')} failed`)
  return performance.now() - startedAt
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchApiCommand()
