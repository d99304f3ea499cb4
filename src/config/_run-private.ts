import { homedir } from 'node:os'
import { errorCode } from '../errors.ts'
import { workerEnvironment } from './worker-env.ts'

const MAX_BYTES = 64 * 1024
/** Besides the system's own: where password managers are installed. */
const MORE_PLACES =
  '/opt/homebrew/bin:/opt/local/bin:/home/linuxbrew/.linuxbrew/bin:/run/current-system/sw/bin:/snap/bin'

interface RunOptions {
  stateDir: string
  timeoutMs: number
  /** What the program reads; a secret is given to it only here. Default: nothing. */
  input?: string
}

/** What it printed, or why there is nothing, in words that hold nothing of what it printed. */
export type Printed = { text: string } | { failure: string }

/**
 * Runs a program that handles a secret: no shell, an environment of its own, killed with all that it started when
 * its time is over. What it says on stderr is not read: it may repeat the secret.
 */
export async function runPrivately(
  [file = '', ...args]: readonly string[],
  { stateDir, timeoutMs, input = '' }: RunOptions,
): Promise<Printed> {
  const { execa } = await import('execa')
  const child = execa(file.replace(/^~(?=\/)/, homedir()), args, {
    env: environment(stateDir),
    extendEnv: false,
    // Not the session's folder: a program might read its settings there.
    cwd: homedir(),
    input,
    stderr: 'ignore',
    maxBuffer: MAX_BYTES,
    reject: false,
    windowsHide: true,
    stripFinalNewline: false,
    // A process group of its own, to be killed as one.
    detached: process.platform !== 'win32',
  })
  let isLate = false
  // Where this process ends first, as a worker may.
  const onExit = () => kill(child.pid)
  process.once('exit', onExit)
  const timer = setTimeout(() => {
    isLate = true
    kill(child.pid)
    // A child that left the group keeps the output open.
    child.kill('SIGKILL')
    child.stdout.destroy()
  }, timeoutMs)
  const { exitCode, signal, stdout, isMaxBuffer, ...ended } = await child
  clearTimeout(timer)
  process.removeListener('exit', onExit)
  if (isLate) return { failure: `did not end within ${timeoutMs / 1000} s` }
  if (isMaxBuffer) return { failure: `printed more than ${MAX_BYTES} bytes` }
  if (exitCode === 0) return { text: stdout }
  if (signal !== undefined) return { failure: `was killed by ${signal}` }
  if (exitCode !== undefined) return { failure: `ended with status ${exitCode}` }
  return { failure: `could not be started (${errorCode(ended.cause) ?? ended.code ?? 'unknown'})` }
}

function environment(stateDir: string): Record<string, string> {
  const own = workerEnvironment(stateDir, process.env)
  if (process.platform === 'win32') return own
  // By this the keychain of a Linux desktop is reached.
  const runtime = process.env.XDG_RUNTIME_DIR ?? `/run/user/${process.getuid?.()}`
  return { ...own, PATH: `${own.PATH}:${MORE_PLACES}`, XDG_RUNTIME_DIR: runtime }
}

function kill(pid: number | undefined) {
  if (pid === undefined || process.platform === 'win32') return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}
