import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Endpoint } from '../src/api/endpoints/endpoint.ts'
import { api, listEndpoints } from '../src/api/endpoints/index.ts'
import { createClient } from '../src/api/index.ts'
import { methodOf } from '../src/commands/api/call-endpoint.ts'
import { type Emulator, startEmulator } from '../src/emulator/index.ts'

/**
 * Tries openapi.json with the tools of others: lints it, generates clients with two generators, compiles them under the
 * strictest settings, and calls every endpoint on the emulator with each. Prism then validates what our own client and the
 * emulator say to each other. Not for CI: the first run installs 230 MB from npm into a cache of its own.
 */
const cache =
  process.env.HOOKBELL_OPENAPI_CACHE ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'hookbell-test-openapi')

/** Each in a folder of its own: they need different versions of the same packages. */
const tools = {
  lint: [
    '@stoplight/spectral-core@1.24.1',
    '@stoplight/spectral-parsers@1.0.5',
    '@stoplight/spectral-rulesets@1.23.1',
  ],
  fetch: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3'],
  hey: ['@hey-api/openapi-ts@0.95.0', 'typescript@5.9.3'],
  prism: ['@stoplight/prism-cli@5.14.2'],
}

const COMPILER = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    types: [],
    noEmit: true,
  },
  files: ['main.ts'],
}

const FETCH_HEAD = `import createClient from 'openapi-fetch'
import type { paths } from './schema'
declare const process: { env: { [name: string]: string } }
const headers = { authorization: 'Bearer ' + process.env.HOOKBELL_API_KEY }
const base = createClient<paths>({ baseUrl: process.env.HOOKBELL_API_BASE_URL, headers })
const app = createClient<paths>({ baseUrl: process.env.HOOKBELL_APP_BASE_URL, headers })
`

const HEY_HEAD = `import * as sdk from './client/sdk.gen'
import { createClient } from './client/client'
declare const process: { env: { [name: string]: string } }
const headers = { authorization: 'Bearer ' + process.env.HOOKBELL_API_KEY }
const base = createClient({ baseUrl: process.env.HOOKBELL_API_BASE_URL, headers })
const app = createClient({ baseUrl: process.env.HOOKBELL_APP_BASE_URL, headers })
`

const COUNT = `
async function check(id: string, call: Promise<{ data?: unknown; error?: unknown; response?: { status: number } }>) {
  const { data, error, response } = await call
  if (!data || error) console.log(id, response?.status, JSON.stringify(error))
}
`

const run = promisify(execFile)
const document = resolve('openapi.json')
const checks = { lint, fetch: () => generate('fetch'), hey: () => generate('hey'), prism }
for (const [name, check] of Object.entries(checks)) {
  install(name as keyof typeof tools)
  const problems = await check().catch((error: unknown) => [describe(error)])
  console.log(`${name}: ${problems.length === 0 ? 'passed' : 'FAILED'}`)
  for (const problem of problems) console.log(`  ${problem}`)
  if (problems.length > 0) process.exitCode = 1
}

function install(name: keyof typeof tools) {
  const folder = join(cache, name)
  const packages = tools[name]
  const stamp = join(folder, 'installed')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === packages.join()) return
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages]
  execFileSync('npm', words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  writeFileSync(stamp, packages.join())
}

async function lint(): Promise<string[]> {
  const program = `
    import { readFileSync } from 'node:fs'
    import core from '@stoplight/spectral-core'
    import parsers from '@stoplight/spectral-parsers'
    import rulesets from '@stoplight/spectral-rulesets'
    const spectral = new core.Spectral()
    spectral.setRuleset({ extends: [rulesets.oas] })
    const text = readFileSync(process.argv[2], 'utf8')
    const problems = await spectral.run(new core.Document(text, parsers.Json))
    for (const { code, path, message } of problems) console.log(code, path.join('.'), message)`
  return linesOf(await runProgram('lint', program, document))
}

/** Generates a client, compiles it with a call of every endpoint, and runs these calls. */
async function generate(name: 'fetch' | 'hey'): Promise<string[]> {
  const folder = join(cache, name)
  const bin = (program: string, ...words: string[]) =>
    run(join(folder, 'node_modules/.bin', program), words, { cwd: folder })
  if (name === 'fetch') await bin('openapi-typescript', document, '-o', 'schema.ts')
  else
    await bin(
      'openapi-ts',
      '-i',
      document,
      '-o',
      'client',
      '-p',
      '@hey-api/client-fetch',
      '@hey-api/sdk',
      '@hey-api/typescript',
    )
  const head = name === 'fetch' ? FETCH_HEAD : HEY_HEAD
  const call = name === 'fetch' ? fetchCall : heyCall
  writeFileSync(join(folder, 'main.ts'), head + COUNT + inOrder().map(call).join('\n'))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(COMPILER))
  await bin('tsc', '-p', '.')
  await using emulator = await startEmulator()
  const { stdout } = await run(resolve('node_modules/.bin/tsx'), ['main.ts'], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...emulator.env },
  })
  return linesOf(stdout)
}

/** Deletions and rotations come last. */
function inOrder(): Endpoint[] {
  const isLast = ({ irreversible }: Endpoint) => Number(Boolean(irreversible))
  return listEndpoints().toSorted((one, other) => isLast(one) - isLast(other))
}

/** The example of an endpoint, divided as it goes on the wire. */
function partsOf({ params, query, body, wire = {}, passthrough, example }: Endpoint) {
  const parts: { path: Values; query: Values; body: Values } = { path: {}, query: {}, body: {} }
  for (const [name, value] of Object.entries(example)) {
    if (params && Object.hasOwn(params.shape, name)) parts.path[name] = value
    else parts[body ? 'body' : 'query'][wire[name] ?? name] = value
  }
  if (passthrough && query) parts.query = { parameters: parts.query }
  const isUsed = ([name, part]: [string, Values]) =>
    name === 'body' ? body : Object.keys(part).length
  return Object.fromEntries(Object.entries(parts).filter(isUsed))
}
type Values = { [name: string]: unknown }

function fetchCall(endpoint: Endpoint): string {
  const { id, method, path, host } = endpoint
  const { body, ...params } = partsOf(endpoint)
  const options = JSON.stringify({ params, body })
  return `await check('${id}', ${host}.${method}('${path}', ${options}))`
}

function heyCall(endpoint: Endpoint): string {
  const { id, host } = endpoint
  const name = id.replaceAll(/\.(\w)/g, (_, letter: string) => letter.toUpperCase())
  return `await check('${id}', sdk.${name}({ client: ${host}, ...${JSON.stringify(partsOf(endpoint))} }))`
}

/** Puts Prism between our client and the emulator. It refuses what the document does not allow. */
async function prism(): Promise<string[]> {
  await using emulator = await startEmulator()
  const ports = [await freePort(), await freePort()]
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const proxies = [emulator.url, emulator.appUrl].map((url, at) => {
    const words = ['proxy', document, url, '--errors', '-p', `${ports[at]}`, '-h', '127.0.0.1']
    return spawn(join(cache, 'prism/node_modules/.bin/prism'), words, { stdio: 'ignore' })
  })
  try {
    await Promise.all(urls.map(untilListening))
    return await callThrough(emulator, urls)
  } finally {
    for (const proxy of proxies) await end(proxy)
  }
}

async function callThrough({ apiKey }: Emulator, [baseUrl, appUrl]: string[]): Promise<string[]> {
  const problems: string[] = []
  const onDrift = (drift: unknown) => void problems.push(JSON.stringify(drift))
  await using client = createClient({ apiKey, baseUrl, appUrl, env: {}, retries: 0, onDrift })
  const { groupBy: _, ...ungrouped } = api.analytics.tools.example as Values
  const missing = { computerId: 'none' }
  const calls: [Endpoint, Values][] = [
    ...inOrder().map((endpoint): [Endpoint, Values] => [endpoint, endpoint.example]),
    [api.analytics.tokens, ungrouped],
    [api.analytics.tools, ungrouped],
    [api.analytics.activity, ungrouped],
    [api.organization.limits.setGlobal, { limit: null }],
  ]
  for (const [endpoint, input] of calls)
    await Promise.resolve(methodOf(client, endpoint)(input)).catch((error: unknown) =>
      problems.push(`${endpoint.id}: ${describe(error)}`),
    )
  const refused = await client.computers.get(missing as never).catch((error: unknown) => error)
  if (Reflect.get(Object(refused), 'status') !== 404) problems.push(`404: ${describe(refused)}`)
  return problems
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function untilListening(url: string) {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await fetch(url).catch(() => undefined)) return
    await new Promise((next) => setTimeout(next, 200))
  }
  throw new Error(`Prism does not listen at ${url}`)
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  await ended
}

async function runProgram(name: string, program: string, ...words: string[]): Promise<string> {
  const file = join(cache, name, 'main.js')
  writeFileSync(file, program)
  return (await run(process.execPath, [file, ...words], { cwd: join(cache, name) })).stdout
}

function linesOf(text: string): string[] {
  return text.split('\n').filter(Boolean)
}

function describe(error: unknown): string {
  const { message, stdout = '', bodyText = '' } = Object(error)
  return `${message} ${stdout} ${bodyText}`.trim()
}
