import { runInNewContext } from 'node:vm'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { startEmulator } from '../../src/emulator/index.ts'
import { root } from '../support/home.ts'

const MOST_BYTES = 50 * 1024

/** What a page and a worker have, and no more: neither `process` nor `Buffer`. */
const globals = {
  AbortController,
  AbortSignal,
  Headers,
  ReadableStream,
  Response,
  clearTimeout,
  performance,
  setTimeout,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
}

/** Bundles a program with the client as somebody who uses the package would. */
async function bundle(condition: string, source: string) {
  const { metafile, outputFiles } = await build({
    stdin: { contents: source, resolveDir: root },
    conditions: [condition],
    platform: 'neutral',
    format: 'iife',
    globalName: 'program',
    bundle: true,
    minify: true,
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports)
  return { text: String(outputFiles[0]?.text), imports }
}

/** Streams of browsers that cannot be iterated over, and redirects that they do not show. */
async function fetchOfBrowser(...given: Parameters<typeof fetch>) {
  const { status, headers, body } = await fetch(...given)
  if (status >= 300 && status <= 399) return { status: 0, headers: new Headers(), body: null }
  return { status, headers, body: body && { getReader: () => body.getReader() } }
}

const source = `
import { createClient, fileFromPath, textOf } from 'hookbell/api'
const failure = (promise) => promise.then(() => 'none', ({ kind, message, hint }) => [kind, message, hint].filter(Boolean).join('; '))
export async function run({ apiKey, baseUrl, appUrl, computerId, sessionId }) {
  const client = createClient({ apiKey, baseUrl, appUrl })
  const { messages } = client.sessions
  const roles = []
  for await (const { role } of messages.list({ sessionId, limit: 1 })) roles.push(role)
  const answers = await messages.addAndWait({ sessionId, text: 'hello' }, { quietMs: 0 })
  const get = (options, id = computerId) => createClient({ apiKey, baseUrl, ...options }).computers.get({ computerId: id })
  const keys = createClient({ apiKey, baseUrl }).serviceAccounts.keys
  return {
    roles,
    answer: textOf(answers.at(-1)),
    name: (await get()).name,
    raw: await (await get().asResponse()).json(),
    none: await failure(get({ retries: 0 }, 'none')),
    moved: await failure(get({ retries: 0 }, 'moved')),
    undici: await failure(get({ transport: 'undici' })),
    https: await failure(get({ transport: 'https' })),
    noKey: await failure(get({ apiKey: undefined })),
    file: await failure(fileFromPath('a.pdf')),
    rotate: await failure(keys.rotateTo('key.txt', { serviceAccountId: 'a', keyId: 'b' })),
  }
}`

const path = 'GET /api/v0/computers/{computerId}'
const setKey = 'set HOOKBELL_API_KEY or pass apiKey'
const expected = {
  roles: ['user', 'assistant', 'user'],
  answer: 'Done: hello',
  name: 'ada-devbox',
  raw: expect.objectContaining({ name: 'ada-devbox' }),
  none: `http; ${path}: 404 Not Found: No computer "none"`,
  undici: 'config; the undici transport needs Node.js; leave transport out',
  https: 'config; the https transport needs Node.js; leave transport out',
  noKey: `config; no API key: HOOKBELL_API_KEY is not set; ${setKey}`,
  file: 'config; fileFromPath needs Node.js',
  rotate: 'config; rotateTo needs Node.js',
}

describe.each(['workerd', 'browser'])('the client under the condition %s', (condition) => {
  it('is one small file that imports nothing', async () => {
    const own = "export { createClient } from 'hookbell/api'"
    const { text, imports } = await bundle(condition, own)
    expect(imports).toEqual([])
    expect(text).not.toMatch(/["']node:|getBuiltinModule/)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MOST_BYTES)
  })

  it.each([
    ['with fetch alone', fetch],
    ['with streams and redirects of a browser', fetchOfBrowser],
  ])('calls the service %s', async (_, fetch) => {
    await using emulator = await startEmulator({ seed: { agent: { instant: true } } })
    const redirect = { status: 302, headers: { location: '/x' } }
    // biome-ignore lint/suspicious/noThenProperty: never a function, so the object is not a thenable
    emulator.faults.add({ path: '/api/v0/computers/moved', then: redirect })
    const { text } = await bundle(condition, source)
    const program = runInNewContext(`${text};program`, { ...globals, fetch })
    const { computerId, sessionId } = emulator
    const found = await program.run({ ...emulator.clientOptions, computerId, sessionId })
    expect(found).toEqual({ ...expected, moved: expect.stringMatching(/the response redirects/) })
  })
})
