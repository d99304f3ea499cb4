import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { makeFolder } from './folder.ts'

const setup = join(import.meta.dirname, 'leave-nothing.ts')

/** Simulates a test run that consists of one statement. @param person the home of the person who runs it */
async function runTests(person: string, statement: string) {
  const program = `
import { mkdirSync } from 'node:fs'
import leaveNothing from ${JSON.stringify(setup)}
const make = (path) => mkdirSync(path, { recursive: true })
const person = ${JSON.stringify(person)}
const end = leaveNothing()
${statement}
end()`
  const argv = ['--import', 'tsx', '--input-type=module', '--eval', program]
  const env = { ...process.env, HOME: person, XDG_STATE_HOME: join(person, 'state') }
  const { exitCode, stderr } = await execa(process.execPath, argv, { env, reject: false })
  return { exitCode, stderr: stderr.trim() }
}

describe('a test run', () => {
  it('fails if it leaves folders in the home, and names them', async () => {
    const person = await makeFolder()
    const paths = [
      '.run/hookbell-0',
      '.config/hookbell',
      '.local/state/hookbell',
      '.cache/hookbell',
    ]
    const statement = `for (const path of ${JSON.stringify(paths)}) make(process.env.HOME + '/' + path)`
    const { stderr, exitCode } = await runTests(person, statement)
    const [, left = ''] = /^The tests left behind: (.*)$/.exec(stderr) ?? []
    expect(left.split(', ').map((path) => path.replace(/^\/.*\/home\//, ''))).toEqual(paths)
    expect(exitCode).toBe(1)
  })

  it('ignores the files that hookbell writes meanwhile for the person who runs the tests', async () => {
    const person = await makeFolder()
    mkdirSync(join(person, 'state'))
    const paths = ['.config/hookbell', '.local/state/hookbell', '.cache/hookbell', 'state/hookbell']
    const statement = `for (const path of ${JSON.stringify(paths)}) make(person + '/' + path)`
    expect(await runTests(person, statement)).toEqual({ exitCode: 0, stderr: '' })
  })

  it('uses only its own folders, and restores the environment', async () => {
    const person = await makeFolder()
    const statement = `
const { HOME, XDG_STATE_HOME, TMPDIR } = process.env
if (!HOME.startsWith(TMPDIR) || XDG_STATE_HOME) throw new Error(HOME)
process.on('exit', () => { if (process.env.HOME !== person) throw new Error(process.env.HOME) })`
    expect(await runTests(person, statement)).toEqual({ exitCode: 0, stderr: '' })
  })
})
