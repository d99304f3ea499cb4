import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type BuildOptions, build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { transports, useFaultServer } from '../_support.ts'

const run = promisify(execFile)
/** A folder from which no package can be resolved, in particular not undici. */
const folder = mkdtempSync(join(tmpdir(), 'hookbell-bundle-'))
const banner =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

beforeAll(async () => {
  const shared = {
    entryPoints: ['src/api/index.ts'],
    bundle: true,
    platform: 'node',
    target: 'node20.18',
    external: ['undici'],
  } satisfies BuildOptions
  await build({ ...shared, format: 'cjs', outfile: join(folder, 'api.cjs') })
  await build({
    ...shared,
    format: 'esm',
    outfile: join(folder, 'api.mjs'),
    banner: { js: banner },
  })
  await build({
    ...shared,
    entryPoints: ['test/api/transports/_left-open.ts'],
    format: 'cjs',
    outfile: join(folder, 'full/left-open.cjs'),
  })
  mkdirSync(join(folder, 'full/node_modules'), { recursive: true })
  symlinkSync(join(process.cwd(), 'node_modules/undici'), join(folder, 'full/node_modules/undici'))
  cpSync(join(folder, 'api.cjs'), join(folder, 'full/api.cjs'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the bundled library in its own process', () => {
  const faults = useFaultServer('https')

  async function runScript(name: string, source: string) {
    const path = join(folder, name)
    writeFileSync(path, source)
    const env = {
      PATH: process.env.PATH,
      HOOKBELL_API_BASE_URL: faults.url,
      HOOKBELL_API_KEY: 'fk-key-of-env',
    }
    const { stdout, stderr } = await run(process.execPath, [path], { env })
    expect(stderr).toBe('')
    return stdout.trim()
  }

  it.each([
    ['a.cjs', "const { createClient } = require('./api.cjs')"],
    ['a.mjs', "import { createClient } from './api.mjs'"],
  ])('%s creates a client without undici', async (name, load) => {
    expect(await runScript(name, `${load}; console.log(typeof createClient().request)`)).toBe(
      'function',
    )
  })

  it('sends a request with the https transport without undici', async () => {
    faults.play([{ body: '{"limit": 5}' }])
    const source = `
      import { createClient } from './api.mjs'
      const client = createClient({ transport: 'https' })
      console.log((await client.organization.limits.getGlobal()).limit)
    `
    expect(await runScript('b.mjs', source)).toBe('5')
  })

  it.each([
    ['says once that undici calls SOCKS experimental', {}, 1],
    [
      'says nothing of SOCKS if the warning is disabled',
      { NODE_OPTIONS: '--disable-warning=ExperimentalWarning' },
      0,
    ],
  ])('%s', async (_, options, times) => {
    const path = join(folder, 'full/socks.cjs')
    // Nothing listens on this port.
    const source = `
      const { createClient } = require('./api.cjs')
      const settings = { apiKey: 'k', baseUrl: 'https://api.example.invalid', retries: 0 }
      const call = () => createClient(settings).organization.limits.getGlobal().catch(({ kind }) => console.log(kind))
      call().then(call)
    `
    writeFileSync(path, source)
    const env = { PATH: process.env.PATH, ALL_PROXY: 'socks5://127.0.0.1:1', ...options }
    const { stdout, stderr } = await run(process.execPath, [path], { env })
    expect(stdout).toBe('network\nnetwork\n')
    expect(stderr.split('ExperimentalWarning: SOCKS5')).toHaveLength(1 + times)
  })

  it('names the missing undici package', async () => {
    const source = `
      import { createClient } from './api.mjs'
      createClient().organization.limits.getGlobal().catch((error) => console.log(error.kind, error.hint))
    `
    expect(await runScript('c.mjs', source)).toBe(
      'config install undici, or use the https transport',
    )
  })

  it.each(transports)(
    'leaves nothing open after its last response through %s',
    async (transport) => {
      faults.play([{ body: '{"limit": 5}' }])
      const source = `
      const { createClient } = require('./api.cjs')
      const { leftOpen } = require('./left-open.cjs')
      const client = createClient({ transport: '${transport}' })
      client.organization.limits.getGlobal().then(async ({ limit }) => console.log(limit, await leftOpen()))
    `
      expect(await runScript(`full/${transport}.cjs`, source)).toBe('5 []')
    },
  )
})
