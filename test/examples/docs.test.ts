import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startEmulator } from '../../src/emulator/index.ts'
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

describe('snippets', () => {
  it.each([
    ...Object.keys(claims),
    'README.md',
    'docs/api.md',
    'docs/api-recipes.md',
    'docs/emulator.md',
  ])('those of %s compile and run', async (page) => {
    const emulator = await startEmulator({ seed: { agent: { instant: true } } })
    // Inside the package, so that it finds itself by its own name.
    const folder = mkdtempSync(join(root, 'test/examples/.snippets-'))
    onTestFinished(async () => {
      await emulator.close()
      rmSync(folder, { recursive: true })
    })
    const program = join(folder, 'program.ts')
    writeFileSync(program, programOf(page) + (claims[page] ?? ''))
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['program.ts'] }),
    )
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const types = await execa(process.execPath, [tsc, '-p', folder], { reject: false })
    expect(types.stdout).toBe('')
    const env = {
      PATH: process.env.PATH,
      ...emulator.env,
      SESSION_ID: emulator.sessionId,
    }
    const words = ['--import', 'tsx', program]
    const { exitCode, stderr, stdout } = await execa(process.execPath, words, {
      env,
      extendEnv: false,
      reject: false,
    })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    if (page === 'README.md') expect(stdout).toBe('Done: Open the pull request')
  })
})
