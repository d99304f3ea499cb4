import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startEmulator } from '../../src/emulator/index.ts'
import { tsc } from '../support/compiler.ts'
import { root } from '../support/home.ts'

// Compilers run here, on machines that do other things as well.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

/** The blocks of a page are parts of one program, in their order. Of the README only the section of the API. */
function programOf(page: string): string {
  const whole = readFileSync(join(root, page), 'utf8')
  const text = whole.slice(Math.max(0, whole.indexOf("## The organization's API")))
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code).join('\n')
}

/** What a page says of its program, as code that fails where it is not so. */
const claims: Record<string, string> = {
  'docs/seeing.md': `
const reasons = JSON.stringify(decisions[1]?.trace)
if (pings.length > 0 || !reasons.includes('short-turns')) throw new Error(reasons)`,
}

const pages = [
  ...Object.keys(claims),
  'README.md',
  'docs/api.md',
  'docs/api-recipes.md',
  'docs/emulator.md',
]

// Inside the package, so that it finds itself by its own name.
const folder = mkdtempSync(join(root, 'test/examples/.snippets-'))
const folderOf = (page: string) => join(folder, page.replaceAll('/', '-'))
let problems = ''

/** One compiler for all pages: to read the declarations takes it longer than to check a page. */
beforeAll(async () => {
  for (const page of pages) {
    const source = programOf(page) + (claims[page] ?? '')
    const { code } = await transform(source, { loader: 'ts', format: 'esm', target: 'node20.18' })
    mkdirSync(folderOf(page))
    writeFileSync(join(folderOf(page), 'program.ts'), source)
    writeFileSync(join(folderOf(page), 'program.mjs'), code)
  }
  const config = { extends: join(root, 'tsconfig.json'), include: ['*/program.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { stdout, stderr } = await execa(process.execPath, [...tsc, '-p', folder], {
    reject: false,
  })
  problems = stdout + stderr
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('snippets', () => {
  it('compile', () => {
    expect(problems).toBe('')
  })

  it.each(pages)('those of %s run', async (page) => {
    const emulator = await startEmulator({ seed: { agent: { instant: true } } })
    onTestFinished(() => emulator.close())
    const env = {
      PATH: process.env.PATH,
      ...emulator.env,
      SESSION_ID: emulator.sessionId,
    }
    const program = join(folderOf(page), 'program.mjs')
    const { exitCode, stderr, stdout } = await execa(process.execPath, [program], {
      env,
      extendEnv: false,
      reject: false,
    })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    if (page === 'README.md') expect(stdout).toBe('Done: Open the pull request')
  })
})
