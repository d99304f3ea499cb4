import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../src/emulator/index.ts'
import { tsc } from '../support/compiler.ts'
import { root } from '../support/home.ts'

/** Joins the TypeScript blocks of a page into one program. Uses only the section about the API from the README. */
function programOf(page: string): string {
  const whole = readFileSync(join(root, page), 'utf8')
  const text = whole.slice(Math.max(0, whole.indexOf("## The organization's API")))
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code).join('\n')
}

/** Checks for the claims of a page about its program, appended as code that throws. */
const claims: Record<string, string> = {
  'docs/seeing.md': `
const reasons = JSON.stringify(decisions[1]?.trace)
if (pings.length > 0 || !reasons.includes('short-turns')) throw new Error(reasons)`,
}

const pages = [
  ...Object.keys(claims),
  'docs/library.md',
  'README.md',
  'docs/api.md',
  'docs/api-recipes.md',
  'docs/emulator.md',
]

// Inside the package, so that it can be imported by its own name.
const folder = mkdtempSync(join(root, 'test/examples/.snippets-'))
const folderOf = (page: string) => join(folder, page.replaceAll('/', '-'))
let problems = ''

/** One compiler run for all pages: reading the declarations takes longer than checking a page. */
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

describe('TypeScript snippets', () => {
  it('compile on all pages', () => {
    expect(problems).toBe('')
  })

  it.each(pages)('of %s run without an error', async (page) => {
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
