import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { library, median, printTable } from './_bench.ts'

const ROUNDS = 21
/** Limit from the response to the end of the process, in cases where V8 is not optimising the parser of undici. */
const GOAL_MS = 30
/** What the client may add to the bare module that it uses. */
const ADDED_MS = 10

const path = '/api/v0/computers/c-1'
const load = `import { createClient } from ${JSON.stringify(library)}`
const call = (transport: string) => `
  const client = createClient({ transport: '${transport}' })
  await client.computers.get({ computerId: 'c-1' })`
const bareHttp = `
  const { get } = process.getBuiltinModule('node:http')
  const address = process.env.HOOKBELL_API_BASE_URL + '${path}'
  const response = await new Promise((resolve) => get(address, { agent: false }, resolve))
  const chunks = []
  for await (const chunk of response) chunks.push(chunk)
  JSON.parse(Buffer.concat(chunks).toString())`
const bareUndici = `
  import { Agent, request } from 'undici'
  const address = process.env.HOOKBELL_API_BASE_URL + '${path}'
  const { body } = await request(address, { dispatcher: new Agent() })
  JSON.parse(await body.text())`

interface Case {
  name: string
  source: string
  /** The case that does the same without the client. */
  floor?: string
  flags?: readonly string[]
}

// undici parses with WebAssembly, which V8 optimises in the background while the process wants to
// exit. The flag turns that off, so that the rest can be seen.
const flags = ['--liftoff-only']
const cases: readonly Case[] = [
  { name: 'node -e 0', source: '' },
  { name: 'node:http', source: bareHttp },
  { name: 'hookbell, https', source: `${load}\n${call('https')}`, floor: 'node:http' },
  { name: 'undici', source: bareUndici },
  { name: 'hookbell, undici', source: `${load}\n${call('undici')}`, floor: 'undici' },
  { name: 'undici, not optimised', source: bareUndici, flags },
  {
    name: 'hookbell, undici, not optimised',
    source: `${load}\n${call('undici')}`,
    floor: 'undici, not optimised',
    flags,
  },
]

/** Measures how long a process lives on after its last response. Fails if the client keeps it alive. */
export async function benchApiExit(): Promise<void> {
  // In a process of its own, so that it takes no time from what is measured.
  const server = fork(new URL('./api-server.ts', import.meta.url), {
    execArgv: ['--import', 'tsx'],
  })
  const [address] = await once(server, 'message')
  const url = `http://127.0.0.1:${address.port}`
  const rounds: Map<string, number>[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const times = new Map<string, number>()
    for (const one of cases) times.set(one.name, await exitTime(one, url))
    rounds.push(times)
  }
  server.kill()
  const rows = cases.map((one) => judge(one, rounds))
  printTable(`from the last answer to the exit, medians of ${ROUNDS} interleaved rounds`, rows)
}

/** From the time that the child prints until it has exited, in milliseconds. */
async function exitTime({ source, flags = [] }: Case, url: string): Promise<number> {
  // All processes of a machine share the monotonic clock. The child closes nothing and does not call exit.
  const told = `${source}
    const { writeSync } = process.getBuiltinModule('node:fs')
    writeSync(1, String(process.hrtime.bigint()))`
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, [...flags, '--input-type=module', '-e', told], {
    env: { PATH, HOME, HOOKBELL_API_BASE_URL: url, HOOKBELL_API_KEY: 'fk-benchmark' },
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = child.stdout.toArray()
  const [code] = await once(child, 'exit')
  const endedAt = process.hrtime.bigint()
  if (code !== 0) throw new Error('a child failed')
  return Number(endedAt - BigInt(Buffer.concat(await output).toString())) / 1e6
}

function judge({ name, floor }: Case, rounds: readonly Map<string, number>[]): readonly string[] {
  const of = (key: string) => rounds.map((times) => times.get(key) ?? Number.NaN)
  const ms = median(of(name))
  if (floor === undefined) return [name, `${ms.toFixed(1)} ms`, '']
  const bare = of(floor)
  const added = median(of(name).map((own, round) => own - (bare[round] ?? Number.NaN)))
  const ratio = median(of(name).map((own, round) => own / (bare[round] ?? Number.NaN)))
  const isSlow = ms > GOAL_MS && floor !== 'undici'
  if (isSlow || added > ADDED_MS) process.exitCode = 1
  const compared = `${added.toFixed(1)} ms above ${floor}, ratio ${ratio.toFixed(2)}`
  return [name, `${ms.toFixed(1)} ms`, compared]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchApiExit()
