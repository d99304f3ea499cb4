import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { root } from './home.ts'
import { shellQuote } from './shell-quote.ts'

/** Whether `script` is installed, which runs a program in a terminal. */
export const hasTerminal = process.platform === 'linux' && existsSync('/usr/bin/script')

interface Terminal {
  env: Record<string, string | undefined>
  columns?: number
  /** Ends the program with SIGTERM once this text has appeared. */
  until?: string
}

/** Runs the built CLI in a real terminal, which receives both stdout and stderr. */
export async function runInTerminal(terminal: Terminal, ...words: string[]) {
  const { env, columns = 80, until } = terminal
  const command = [process.execPath, join(root, 'bin/hookbell'), ...words].map(shellQuote).join(' ')
  const line = `stty cols ${columns} rows 40; exec ${command}`
  const child = execa('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    env: { TERM: 'xterm', SHELL: '/bin/sh', ...env },
    extendEnv: false,
    reject: false,
    input: '',
  })
  if (until !== undefined) {
    let seen = ''
    child.stdout.on('data', (chunk: Buffer) => {
      seen += chunk
      if (seen.includes(until)) child.kill('SIGTERM')
    })
  }
  const { stdout, exitCode } = await child
  return { text: stdout.replaceAll('\r', ''), exitCode }
}
