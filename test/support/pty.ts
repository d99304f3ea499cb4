import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, onTestFinished, vi } from 'vitest'

/** Whether there is a program that makes terminals. On Debian and Ubuntu: util-linux. */
export const hasPty = process.platform === 'linux' && existsSync('/usr/bin/script')

interface Options {
  /** What runs in the terminal, for sh. */
  command?: string
  env?: Record<string, string>
}

/** Opens a real terminal and keeps what is written to its screen. Ends with the test. */
export async function startPty({ command = 'sleep 1000', env = {} }: Options = {}) {
  // tmux discards what is not yet read from its terminal when it starts, so it waits until this has been.
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
    60_000,
  )
  child.stdin.write('\n')
  return {
    path,
    /** The process of the program in it. */
    pid: Number(pid),
    /** Everything since the terminal was opened. */
    received: () => received.replace(start, ''),
    /** Sends text as from the keyboard; also for what a terminal answers by itself. */
    type: (text: string) => void child.stdin.write(text),
    close,
  }
}
