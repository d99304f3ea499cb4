import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { execa } from 'execa'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everything, listEndpoints } from '../src/api/endpoints/index.ts'
import { startEmulator } from '../src/emulator/index.ts'
import { tsc } from './support/compiler.ts'
import { root } from './support/home.ts'
import { packPackage } from './support/packed.ts'
import { startRegistry } from './support/registry.ts'

const work = mkdtempSync(join(tmpdir(), 'hookbell-consumers-'))
const packed = join(work, 'package')
let tarball = ''

beforeAll(async () => {
  tarball = (await packPackage()).tarball
  await execa('tar', ['-xf', tarball, '-C', work])
})
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** A project with the package installed and the given dependencies linked. */
function makeConsumer(name: string, files: Record<string, string>, needs: string[] = []) {
  const folder = join(work, name)
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
  cpSync(packed, join(folder, 'node_modules/hookbell'), { recursive: true })
  for (const need of needs)
    symlinkSync(join(root, 'node_modules', need), join(folder, 'node_modules', need))
  for (const [path, content] of Object.entries(files)) writeFileSync(join(folder, path), content)
  return folder
}

async function runNode(folder: string, ...words: string[]) {
  const emulator = await startEmulator({ seed: { agent: { instant: true } } })
  const env = {
    PATH: process.env.PATH,
    ...emulator.env,
    SESSION_ID: emulator.sessionId,
  }
  const options = { cwd: folder, env, extendEnv: false, reject: false } as const
  const { stdout, stderr, exitCode } = await execa(process.execPath, words, options)
  await emulator.close()
  return { stdout, stderr, exitCode }
}

describe('the packed package', () => {
  it('has no problems according to publint', async () => {
    // Otherwise it would pack the package again.
    const pack = { tarball: new Uint8Array(readFileSync(tarball)).buffer }
    const { messages, pkg } = await publint({ strict: true, pack })
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([])
  })
})

describe('the types of the packed package', () => {
  interface Problem {
    kind: string
    entrypoint?: string
    resolutionKind?: string
  }
  let problems: Problem[]

  beforeAll(async () => {
    const attw = join(root, 'node_modules/.bin/attw')
    const words = [tarball, '--format', 'json', '--entrypoints', '.', 'api', 'emulator']
    // Its exit code is 1 because of the entries that not every resolver finds.
    const { stdout } = await execa(attw, words, { reject: false })
    problems = JSON.parse(stdout).analysis.problems
  })

  it.each([
    ['./api', ['node10: NoResolution']],
    ['./emulator', ['node10: NoResolution']],
    // The main entry provides ES modules and programs; it cannot be required.
    ['.', ['node10: NoResolution', 'node16-cjs: CJSResolvesToESM']],
  ])('are correct for %s, except under %j', (entry, expected) => {
    // A problem without an entry concerns a file, and counts for every entry.
    const ofEntry = problems.filter(({ entrypoint = entry }) => entrypoint === entry)
    expect(ofEntry.map(({ resolutionKind, kind }) => `${resolutionKind}: ${kind}`)).toEqual(
      expected,
    )
  })
})

const types = ['zod', 'undici', '@types/node']

/** The same program for both module systems: an endpoint, a list, an error, and the types of all three. */
const program = `
export async function main() {
  const emulator: Emulator = await startEmulator()
  const { url: baseUrl, appUrl, apiKey, sessionId } = emulator
  const client: Client = createClient({ baseUrl, appUrl, apiKey })
  const { limit } = await client.organization.limits.getGlobal()
  const credits: number | null = limit
  const roles: string[] = []
  for await (const message of client.sessions.messages.list({ sessionId })) roles.push(message.role)
  const error: unknown = await client.computers.get({ computerId: 'none' }).catch((e: unknown) => e)
  // @ts-expect-error an input that is missing
  const invalid: unknown = await client.computers.get({}).catch((e: unknown) => e)
  const page = await client.sessions.messages.list({ sessionId, limit: 1 })
  roles.push(...page.messages.map((message): string => message.role))
  // @ts-expect-error a field that no message has
  void page.messages[0]?.rolle
  await client.close()
  await emulator.close()
  console.log(JSON.stringify([credits, roles, kindOf(error), kindOf(invalid)]))
}
const kindOf = (error: unknown) => (isClientError(error) ? error.kind : 'other')
`
const expected = [null, ['user', 'assistant', 'user', 'user'], 'http', 'validation']

/** The strictest settings. */
const compilerOptions = {
  target: 'es2023',
  lib: ['es2024', 'esnext.disposable'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  types: ['node'],
}

const sources = {
  'main.mts': `import type { JournalEntry } from 'hookbell'
import { type Client, createClient, isClientError } from 'hookbell/api'
import { type Emulator, startEmulator } from 'hookbell/emulator'
${program}
export const entry: JournalEntry | undefined = undefined
await main()`,
  'main.cts': `import { type Client, createClient, isClientError } from 'hookbell/api'
import { type Emulator, startEmulator } from 'hookbell/emulator'
${program}
void main()`,
}

const recipes: Record<string, string> = {
  'tail a session': `
    const controller = new AbortController()
    for await (const message of client.sessions.messages.watch({ sessionId: 's', signal: controller.signal }))
      for (const block of message.content) {
        if (block.type === 'text') { const text: string = block.text; console.log(text) }
        else if (block.type === 'tool_use') { const name: string = block.name; console.log(name) }
        else if (block.type !== 'image') console.log(String(block.type))
      }`,
  'rotate a key': `
    const { id, file }: RotatedKey = await client.serviceAccounts.keys.rotateTo('key', { serviceAccountId: 'a', keyId: 'k', gracePeriodMinutes: undefined })
    console.log(id, file)`,
  'usage as CSV': `
    const { data } = await client.analytics.tokens({ startDate: '2026-02-01', endDate: '2026-02-02' })
    const rows: TokenUsageRow[] = data
    for (const row of rows) { const credits: number = row.billable_tokens; console.log(row.date, credits) }
    const grouped = await client.analytics.tools({ startDate: '2026-02-01', endDate: '2026-02-02', groupBy: 'tool_name' })
    const key: string | undefined = grouped.data[0]?.group_key
    console.log(key)`,
  'tell errors apart': `
    try {
      const { data, status, requestId } = await client.computers.get({ computerId: 'c' }, { timeoutMs: undefined }).withResponse()
      const shown: [Computer, number, string | undefined] = [data, status, requestId]
      console.log(shown)
    } catch (error) {
      if (!isClientError(error)) throw error
      if (error.kind === 'http') { const status: number = error.status; console.log(status) }
      if (error.kind === 'partial') console.log(error.updated.length)
      if (error.kind === 'validation') console.log(error.issues[0]?.field)
    }`,
  'options that may be undefined': `
    const maybe = <Value,>(value: Value): Value | undefined => value
    const [count, text] = [maybe(1), maybe('GET')]
    await client.sessions.messages.list({ sessionId: 's', limit: count, cursor: text }).toArray({ limit: count })
    await client.request({ method: 'GET', path: '/', query: maybe({}), host: undefined, retry: undefined })
    await imageFromPath('a.png', { maxBytes: count })
    createClient({ transport: undiciTransport({ connections: count, keepAliveMs: count }), baseUrl: text })
    const { send, close } = undiciTransport()
    createClient({ transport: { send, close: maybe(close) } })
    await startEmulator({ port: count, seed: maybe({}), faults: maybe([]), stateFile: text, now: maybe(Date.now) })`,
  'your own fetch': `
    const narrow = (url: string, init: RequestInit) => fetch(url, init)
    for (const own of [narrow, undiciFetch, globalThis.fetch]) createClient({ transport: fetchTransport({ fetch: own }) })
    createClient({ transport: fetchTransport({ fetch: (url, init) => fetch(url, { ...init, keepalive: true }) }) })`,
  'test your code': `
    await using emulator: Emulator = await startEmulator()
    await using tested = createClient(emulator.clientOptions)
    console.log((await tested.organization.limits.getGlobal()).limit, emulator.env.HOOKBELL_API_KEY)`,
}

const head = `import { fetch as undiciFetch } from 'undici'
import { type Computer, createClient, fetchTransport, imageFromPath, isClientError, type RotatedKey, type TokenUsageRow, undiciTransport } from 'hookbell/api'
import { type Emulator, startEmulator } from 'hookbell/emulator'
declare const client: ReturnType<typeof createClient>
void [createClient, fetchTransport, imageFromPath, undiciFetch, isClientError, startEmulator, undiciTransport]
export type Used = [Computer, RotatedKey, TokenUsageRow, Emulator]
`
const recipeFiles = Object.fromEntries(
  Object.values(recipes).map((text, at): [string, string] => [
    `recipe-${at}.mts`,
    `${head}export async function run() {${text}\n}\n`,
  ]),
)

describe('a consumer with ES modules and CommonJS', () => {
  it('compiles with declarations and the recipes, and runs', async () => {
    const tsconfig = JSON.stringify({ compilerOptions, include: ['*.?ts'] })
    const files = { 'package.json': '{ "private": true }', 'tsconfig.json': tsconfig }
    const folder = makeConsumer('modules', { ...files, ...sources, ...recipeFiles }, types)
    // node18 behaves like Node.js 20 before it could require ES modules.
    for (const module of ['node18', 'nodenext']) {
      const words = [...tsc, '-p', folder, '--module', module]
      const { stdout } = await execa(process.execPath, words, { reject: false })
      expect(stdout, module).toBe('')
    }
    expect(readFileSync(join(folder, 'main.cjs'), 'utf8')).toContain('require("hookbell/api")')
    for (const compiled of ['main.mjs', 'main.cjs']) {
      const { stdout, stderr } = await runNode(folder, compiled)
      expect(stderr, compiled).toBe('')
      expect(JSON.parse(stdout), compiled).toEqual(expected)
    }
  })
})

describe('a consumer whose test runner has no import(), such as Jest', () => {
  it('sends a request with undici', async () => {
    const source = `
      const { readFileSync } = require('node:fs')
      const { createRequire, wrap } = require('node:module')
      const { Script } = require('node:vm')
      const file = require.resolve('hookbell/api')
      const module_ = { exports: {} }
      const run = new Script(wrap(readFileSync(file, 'utf8'))).runInThisContext()
      run(module_.exports, createRequire(file), module_)
      const client = module_.exports.createClient({ transport: 'undici' })
      client.organization.limits.getGlobal().then(({ limit }) => console.log(limit))`
    const folder = makeConsumer('runner', { 'main.cjs': source }, ['undici'])
    expect(await runNode(folder, 'main.cjs')).toMatchObject({ stdout: 'null', stderr: '' })
  })
})

describe('a consumer without the types of Node.js', () => {
  it('compiles with those of browsers', async () => {
    const source = `import { createClient, fetchTransport } from 'hookbell/api'
export { startEmulator } from 'hookbell/emulator'
export const client = createClient({ transport: fetchTransport({ fetch: globalThis.fetch }) })
for await (const { role } of client.sessions.messages.list({ sessionId: 's' })) console.log(role)`
    const options = { ...compilerOptions, lib: ['es2022', 'dom'], types: [], noEmit: true }
    const tsconfig = JSON.stringify({ compilerOptions: { ...options, module: 'nodenext' } })
    const files = { 'package.json': '{ "private": true }', 'tsconfig.json': tsconfig }
    const folder = makeConsumer('browser', { ...files, 'main.mts': source }, ['zod'])
    const { stdout } = await execa(process.execPath, [...tsc, '-p', folder], { reject: false })
    expect(stdout).toBe('')
  })
})

describe('a consumer with a bundler', () => {
  it('compiles with the recipes, and runs as a single file', async () => {
    const source = `import { type Client, createClient, isClientError } from 'hookbell/api'
import { type Emulator, startEmulator } from 'hookbell/emulator'
${program}
await main()`
    const options = { ...compilerOptions, module: 'esnext', moduleResolution: 'bundler' }
    const tsconfig = JSON.stringify({ compilerOptions: { ...options, noEmit: true } })
    const files = { 'package.json': '{ "private": true }', 'tsconfig.json': tsconfig }
    const folder = makeConsumer('bundler', { ...files, 'main.mts': source, ...recipeFiles }, types)
    const { stdout: found } = await execa(process.execPath, [...tsc, '-p', folder], {
      reject: false,
    })
    expect(found).toBe('')
    await build({
      entryPoints: [join(folder, 'main.mts')],
      outfile: join(folder, 'main.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      external: ['undici'],
    })
    const { stdout, stderr } = await runNode(folder, 'main.mjs')
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual(expected)
  })
})

describe('the bundled client', () => {
  it('contains every endpoint in at most 56 KiB', async () => {
    const entry = `export { createClient, isClientError } from 'hookbell/api'`
    const folder = makeConsumer('bundle', { 'main.mjs': entry })
    const { outputFiles } = await build({
      entryPoints: [join(folder, 'main.mjs')],
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      external: ['undici'],
      write: false,
    })
    const text = outputFiles[0]?.text ?? ''
    const ids = listEndpoints(everything).map(({ id }) => id)
    const program = `const methods = ${JSON.stringify(ids)}.map((id) =>
      id.split('.').reduce((node, name) => node[name], createClient()))
      console.log(methods.every((method) => typeof method === 'function'))`
    writeFileSync(join(folder, 'bundled.mjs'), text)
    writeFileSync(
      join(folder, 'all.mjs'),
      `import { createClient } from './bundled.mjs'\n${program}`,
    )
    expect(await runNode(folder, 'all.mjs')).toMatchObject({ stdout: 'true', stderr: '' })
    expect(text.length).toBeLessThanOrEqual(MOST_BYTES)
  })

  it('has small declarations without zod', () => {
    const files = declarationsOf(join(packed, 'dist/types/api/index.d.ts'))
    const text = files.map((file) => readFileSync(file, 'utf8')).join('')
    expect(text).not.toMatch(/from ['"]zod/)
    expect(text.length).toBeLessThan(150_000)
  })
})

const MOST_BYTES = 56 * 1024

/** A declaration file and all files that it refers to. */
function declarationsOf(file: string, found = new Set<string>()): string[] {
  if (found.has(file)) return []
  found.add(file)
  const refs = readFileSync(file, 'utf8').matchAll(/(?:from |import\()["'](\.[^"']+)\.js["']/g)
  for (const [, path] of refs) declarationsOf(join(file, '..', `${path}.d.ts`), found)
  return [...found]
}

describe('a project that only wants the API', () => {
  it('installs it without the notifier, and sends a request with the default transport', async () => {
    const folder = join(work, 'api-only')
    mkdirSync(join(folder, 'packages'), { recursive: true })
    const registry = await startRegistry(join(folder, 'packages'))
    const words = ['install', 'hookbell', '--omit=optional', '--no-audit', '--no-fund']
    const env = { npm_config_registry: registry.url, npm_config_cache: join(folder, 'cache') }
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    await execa('npm', words, { cwd: folder, env })
    registry.close()
    const installed = readdirSync(join(folder, 'node_modules')).filter((name) => name[0] !== '.')
    expect(installed).toEqual(['hookbell', 'undici', 'zod'])
    const source = `import { createClient } from 'hookbell/api'
      const client = createClient()
      console.log((await client.organization.limits.getGlobal()).limit)
      await client.close()`
    writeFileSync(join(folder, 'main.mjs'), source)
    expect(await runNode(folder, 'main.mjs')).toMatchObject({ stdout: 'null', stderr: '' })
  })
})

describe('the dependencies of the API', () => {
  // undici is not installed here, so loading it at the start would fail.
  const call = `
    const client = createClient({ transport: 'https' })
    client.organization.limits.getGlobal().then(({ limit }) => console.log(limit))`

  it.each([
    [
      'main.mjs',
      `import { createClient } from 'hookbell/api'; import 'hookbell/emulator'; ${call}`,
    ],
    [
      'main.cjs',
      `const { createClient } = require('hookbell/api'); require('hookbell/emulator'); ${call}`,
    ],
  ])('%s needs no other package without the undici transport', async (path, source) => {
    const folder = makeConsumer(`bare-${path}`, { [path]: source })
    expect(await runNode(folder, path)).toEqual({ stdout: 'null', stderr: '', exitCode: 0 })
  })

  it('include no zod in the client, and only its English locale in the emulator', () => {
    const read = (path: string) => readFileSync(join(packed, path), 'utf8')
    expect(read('dist/api.cjs')).not.toContain('/zod/')
    const found = [...read('dist/emulator.cjs').matchAll(/\/locales\/([\w-]+)\.js/g)]
    expect([...new Set(found.map(([, language]) => language))]).toEqual(['en'])
  })
})
