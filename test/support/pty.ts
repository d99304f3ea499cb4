import { spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { expect, onTestFinished, vi } from 'vitest'

/** Whether `script`, which opens terminals, is installed. On Debian and Ubuntu: util-linux. */
export const hasPty = process.platform === 'linux' && existsSync('/usr/bin/script')

/** The device number of a terminal, as the front door reads it from /proc. */
export const deviceOf = (path: string) => `${statSync(path).rdev}`

interface Options {
  /** The command line that sh runs in the terminal. */
  command?: string
  env?: Record<string, string>
}

/** Opens a real terminal and keeps its output. Closed at the end of the test. */
export async function startPty({ command = 'sleep 1000', env = {} }: Options = {}) {
  // tmux discards output that was not read before it starts, so the command waits until its first lines have been read.
  const line = `stty -echo; echo $$; tty; read -r go; exec ${command}`
  const child = spawn('script', ['--quiet', '--flush', '--command', line, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const close = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(close)
  let received = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    received += text
  })
  const start = /^(\d+)\s+(\/dev\/\S+)\r?\n/
  const [, pid, path = ''] = await vi.waitFor(
    () => start.exec(received) ?? expect.fail(`no terminal yet: ${JSON.stringify(received)}`),
    600_000,
  )
  child.stdin.write('\n')
  return {
    path,
    tty: deviceOf(path),
    /** The process id of the program in the terminal. */
    pid: Number(pid),
    /** All output since the terminal was opened. */
    received: () => received.replace(start, ''),
    /** Sends text as if it came from the keyboard, or as a reply of the terminal. */
    type: (text: string) => void child.stdin.write(text),
    close,
  }
}
