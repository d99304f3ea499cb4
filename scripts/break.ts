import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Break, breaks } from './break/breaks.ts'

// Breaks the core on purpose, one mechanism after the other, in a copy of the working tree: a test must fail each time.
// `tsx scripts/break.ts [WORD...]` tries those whose mechanism or file contains one of the words.

const words = process.argv.slice(2)
const copy = mkdtempSync(join(tmpdir(), 'hookbell-break-'))
process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
let lastOutput = ''
copyTree()
const chosen = breaks.filter(
  ({ mechanism, file }) =>
    words.length === 0 || words.some((word) => `${mechanism} ${file}`.includes(word)),
)
const unbroken = [...new Set(chosen.flatMap(({ tests }) => tests))]
if (!passes(unbroken)) throw new Error(`a test fails although nothing is broken\n${lastOutput}`)
const green = chosen.filter((one) => !isCaught(one))
console.log(`${chosen.length - green.length} of ${chosen.length} are caught`)
process.exitCode = green.length > 0 ? 1 : 0

function copyTree() {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], {
    encoding: 'utf8',
  })
  for (const file of [...stdout.split('\n').filter(Boolean), 'dist'])
    cpSync(file, join(copy, file), { recursive: true })
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'))
}

/** Whether a test fails with the break. */
function isCaught({ mechanism, file, before, after, tests }: Break): boolean {
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(before).length !== 2) throw new Error(`${file}: not there exactly once: ${before}`)
  writeFileSync(
    path,
    text.replace(before, () => after),
  )
  const caught = tests.find((test) => !passes([test]))
  writeFileSync(path, text)
  console.log(`${caught ? `red    ${caught}` : 'GREEN '}  ${mechanism}`)
  return caught !== undefined
}

/** Builds the copy first if one of the tests runs the built program. */
function passes(tests: readonly string[]): boolean {
  const usesBuild = (test: string) =>
    /builtWorker|support\/home|_model/.test(readFileSync(join(copy, test), 'utf8'))
  if (tests.some(usesBuild) && !run('tsx/dist/cli.mjs', 'scripts/build.ts')) return false
  return run('vitest/vitest.mjs', 'run', '--bail=1', ...tests)
}

/** Runs a program of node_modules in the copy. @returns whether it succeeds */
function run(program: string, ...args: string[]): boolean {
  const path = join(copy, 'node_modules', program)
  const options = { cwd: copy, encoding: 'utf8', timeout: 1_200_000 } as const
  const { status, stdout } = spawnSync(process.execPath, [path, ...args], options)
  lastOutput = stdout
  return status === 0
}
