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
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { execa } from 'execa'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { listEndpoints } from '../src/api/endpoints/index.ts'
import { startEmulator } from '../src/emulator/index.ts'
import { root } from './support/home.ts'

// Compilers run here, on machines that do other things as well.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const work = mkdtempSync(join(tmpdir(), 'hookbell-consumers-'))
const packed = join(work, 'package')
let tarball = ''

beforeAll(async () => {
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', work]
  const { stdout } = await execa('npm', words, { cwd: root })
  tarball = join(work, JSON.parse(stdout)[0].filename)
  await execa('tar', ['-xf', tarball, '-C', work])
})
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** A project that has installed the package, with or without the packages that it needs. */
function makeConsumer(name: string, files: Record<string, string>, needs: string[] = []) {
  const folder = join(work, name)
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
  cpSync(packed, join(folder, 'node_modules/hookbell'), { recursive: true })
  for (const need of needs)
    symlinkSync(join(root, 'node_modules', need), join(folder, 'node_modules', need))
  for (const [path, content] of Object.entries(files)) writeFileSync(join(folder, path), content)
  return folder
}

/** `hookbell/api/NAME`: an area of the API each, and the table. */
const entries = readdirSync(join(root, 'src/api/entries')).map((file) => basename(file, '.ts'))
const areas = entries.filter((entry) => entry !== 'table')

async function runNode(folder: string, ...words: string[]) {
  const emulator = await startEmulator({ seed: { agent: { instant: true } } })
  const env = {
    PATH: process.env.PATH,
    HOOKBELL_API_BASE_URL: emulator.url,
    HOOKBELL_APP_BASE_URL: emulator.appUrl,
    HOOKBELL_API_KEY: emulator.apiKey,
    SESSION_ID: emulator.sessionId,
  }
  const options = { cwd: folder, env, extendEnv: false, reject: false } as const
  const { stdout, stderr, exitCode } = await execa(process.execPath, words, options)
  await emulator.close()
  return { stdout, stderr, exitCode }
}

describe('the packed package', () => {
  it('is clean for publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: packed, strict: true })
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([])
  })

  it.each([
    ['node16', ['api', 'emulator', ...entries.map((entry) => `api/${entry}`)]],
    // Its hooks are ES modules and programs; nobody requires them.
    ['esm-only', ['.']],
  ])('has the right types under the profile %s', async (profile, entries) => {
    const attw = join(root, 'node_modules/.bin/attw')
    const words = [tarball, '--profile', profile, '--no-color', '--entrypoints', ...entries]
    const { stdout, exitCode } = await execa(attw, words, { reject: false })
    for (const entry of entries) expect(stdout).toContain(join('hookbell', entry))
    expect(exitCode, stdout).toBe(0)
  })
})

const types = ['zod', 'undici', '@types/node']

/** The same program for both module systems: an endpoint, a list, an error, the types of all three. */
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
  const { sessions, ...others } = createSessionsClient({ baseUrl, appUrl, apiKey })
  const page = await sessions.messages.list({ sessionId, limit: 1 })
  roles.push(...page.messages.map((message): string => message.role))
  // @ts-expect-error an area that this client does not know
  void others.wiki
  await client.close()
  await emulator.close()
  console.log(JSON.stringify([credits, roles, kindOf(error), kindOf(invalid)]))
}
const kindOf = (error: unknown) => (isClientError(error) ? error.kind : 'other')
`
const expected = [null, ['user', 'assistant', 'user', 'user'], 'http', 'validation']

const compilerOptions = {
  target: 'es2023',
  lib: ['es2024'],
  strict: true,
  types: ['node'],
}

describe.each([
  [
    'esm',
    'mts',
    `import { type Client, createClient, isClientError } from 'hookbell/api'
import { createClient as createSessionsClient } from 'hookbell/api/sessions'
import { type Emulator, startEmulator } from 'hookbell/emulator'
${program}
await main()`,
  ],
  [
    'cjs',
    'cts',
    `import { type Client, createClient, isClientError } from 'hookbell/api'
import { createClient as createSessionsClient } from 'hookbell/api/sessions'
import { type Emulator, startEmulator } from 'hookbell/emulator'
${program}
void main()`,
  ],
])('a consumer in %s', (name, extension, source) => {
  it('compiles, declarations included, and runs', async () => {
    const folder = makeConsumer(
      name,
      {
        'package.json': '{ "private": true }',
        'tsconfig.json': JSON.stringify({ compilerOptions, include: ['*.?ts'] }),
        [`main.${extension}`]: source,
      },
      types,
    )
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    // node18: as Node.js 20 does it, where no CommonJS module may require an ES module.
    for (const module of ['node18', 'nodenext']) {
      const words = [tsc, '-p', folder, '--module', module]
      const { stdout } = await execa(process.execPath, words, { reject: false })
      expect(stdout, module).toBe('')
    }
    const compiled = `main.${extension.replace('t', 'j')}`
    if (extension === 'cts')
      expect(readFileSync(join(folder, compiled), 'utf8')).toContain('require("hookbell/api")')
    const { stdout, stderr } = await runNode(folder, compiled)
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual(expected)
  })
})

describe('a consumer with a bundler', () => {
  it('compiles, and runs as one file', async () => {
    const source = `import { type Client, createClient, isClientError } from 'hookbell/api'
import { createClient as createSessionsClient } from 'hookbell/api/sessions'
import { type Emulator, startEmulator } from 'hookbell/emulator'
${program}
await main()`
    const options = { ...compilerOptions, module: 'esnext', moduleResolution: 'bundler' }
    const tsconfig = JSON.stringify({ compilerOptions: { ...options, noEmit: true } })
    const folder = makeConsumer(
      'bundler',
      { 'package.json': '{ "private": true }', 'tsconfig.json': tsconfig, 'main.mts': source },
      types,
    )
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout: found } = await execa(process.execPath, [tsc, '-p', folder], { reject: false })
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

describe('a bundle with one area', () => {
  async function bundle(area: string) {
    const entry = `export { createClient, isClientError } from 'hookbell/api/${area}'`
    const folder = makeConsumer(`area-${area}`, { 'main.mjs': entry })
    const { outputFiles } = await build({
      entryPoints: [join(folder, 'main.mjs')],
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      external: ['undici'],
      write: false,
    })
    return outputFiles[0]?.text ?? ''
  }

  /** The addresses of the endpoints show whose they are. */
  const pathsOf = (text: string) => [...text.matchAll(/"(\/api\/[^"]*)"/g)].map(([, path]) => path)

  it.each(areas)('%s: is below 40 KB, and has nothing of the others', async (area) => {
    const text = await bundle(area)
    const endpoints = listEndpoints().filter(({ id }) => kebab(id.split('.')[0] ?? '') === area)
    const own = endpoints.flatMap(({ path, alternatePath = path }) => [path, alternatePath])
    expect([...new Set(pathsOf(text))].sort()).toEqual([...new Set(own)].sort())
    expect(text.length).toBeLessThan(40 * 1024)
  })

  it('works like the whole, with its area alone', async () => {
    const source = `import { createClient } from 'hookbell/api/sessions'
import { createClient as createReadiness, isClientError } from 'hookbell/api/readiness'
const client = createClient()
const { messageId } = await client.sessions.messages.add({ sessionId: process.env.SESSION_ID, text: 'hi' })
const error = await createReadiness().readiness.reports({ limit: 0 }).catch((error) => error)
console.log(typeof messageId, typeof client.sessions.messages.addAndWait, client.wiki, isClientError(error))`
    const folder = makeConsumer('areas', { 'main.mjs': source }, ['undici'])
    const { stdout, stderr } = await runNode(folder, 'main.mjs')
    expect(stderr).toBe('')
    expect(stdout).toBe('string function undefined true')
  })
})

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

describe('what is loaded', () => {
  // There is no undici to load here: whatever needs it at its start fails.
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
  ])('%s needs no other package before its first request through undici', async (path, source) => {
    const folder = makeConsumer(`bare-${path}`, { [path]: source })
    expect(await runNode(folder, path)).toEqual({ stdout: 'null', stderr: '', exitCode: 0 })
  })

  it('of zod, nothing by the client, and English alone by the emulator', () => {
    const read = (path: string) => readFileSync(join(packed, path), 'utf8')
    for (const path of ['api', ...areas.map((area) => `api/${area}`)])
      expect(read(`dist/${path}.cjs`)).not.toContain('/zod/')
    const found = ['dist/api/table.cjs', 'dist/emulator.cjs'].flatMap((path) => [
      ...read(path).matchAll(/\/locales\/([\w-]+)\.js/g),
    ])
    expect([...new Set(found.map(([, language]) => language))]).toEqual(['en'])
  })
})
