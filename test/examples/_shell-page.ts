import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { makeFolder } from '../support/folder.ts'
import { root } from '../support/home.ts'
import { shellQuote } from '../support/shell-quote.ts'

export const CTRL_C = '\u0003'

/** The command lines of all shell blocks on a page, in order and without comments. */
export function shellLinesOf(page: string): string[] {
  const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)
  return [...blocks]
    .flatMap(([, block = '']) => block.split('\n'))
    .map((line) => line.replace(/(^|\s)#.*/, '').trim())
    .filter((line) => line !== '')
}

export interface Typed {
  /** Keys to type when a text appears, in this order. */
  answers?: [seen: RegExp, keys: string][]
  /** The accepted exit codes. Default: 0. */
  exitCodes?: readonly number[]
}

/** Starts a shell in a new home, with the built program on the PATH. Its commands are killed at the end of the test. */
export async function startShell(given: Record<string, string | undefined> = {}) {
  const home = await makeFolder()
  const [bin, project] = [join(home, 'bin'), join(home, 'api-server')]
  for (const folder of [bin, join(project, '.git'), join(home, 'run')])
    mkdirSync(folder, { recursive: true })
  symlinkSync(join(root, 'bin/hookbell'), join(bin, 'hookbell'))
  const env: Record<string, string | undefined> = {
    ...given,
    HOME: home,
    PATH: `${bin}:${process.env.PATH}`,
    XDG_RUNTIME_DIR: join(home, 'run'),
    TERM: 'xterm',
    SHELL: '/bin/sh',
    VISUAL: 'true',
  }
  const exports: string[] = []

  /** Types a line. Earlier `export` lines still apply. */
  const type = async (line: string, typed: Typed = {}, cwd = project) => {
    if (line.startsWith('export ')) exports.push(line)
    const script = join(home, '.typed')
    const head = ['stty cols 200 rows 40', `cd ${shellQuote(cwd)}`, ...exports]
    writeFileSync(script, `${[...head, line].join('\n')}\n`)
    return await runInTerminal(script, env, typed.answers ?? [])
  }
  return { home, project, env, type, write: writer(project) }
}

const writer = (folder: string) => (name: string, value: unknown) =>
  writeFileSync(join(folder, name), JSON.stringify(value))

/** Runs a script in a terminal. @returns its output, its exit code and the answers that it did not ask for */
async function runInTerminal(script: string, env: NodeJS.ProcessEnv, answers: [RegExp, string][]) {
  const words = ['--quiet', '--flush', '--return', '--command', `sh ${shellQuote(script)}`]
  const child = spawn('script', [...words, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const left = [...answers]
  let text = ''
  let from = 0
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    const [seen, keys] = left[0] ?? []
    if (!seen?.test(text.slice(from))) return
    from = text.length
    left.shift()
    child.stdin.write(keys)
  })
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { text: text.replaceAll('\r', ''), exitCode, unanswered: left.map(([seen]) => seen) }
}
