import { homedir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../../errors.ts'
import { ownFolder } from '../../fs/own-path.ts'
import { programAnswers } from '../../fs/program-answers.ts'
import { workerEnvironment } from '../worker-env.ts'

const MAX_BYTES = 64 * 1024
/** Searched after the system's folders: where password managers are installed. */
const MORE_PLACES =
  '/opt/homebrew/bin:/opt/local/bin:/home/linuxbrew/.linuxbrew/bin:/run/current-system/sw/bin:/snap/bin'

interface RunOptions {
  stateDir: string
  timeoutMs: number
  /** Written to the program's stdin, the only way in which it gets a secret. Default: nothing. */
  input?: string
}

/** The program's output, or why there is none. `failure` never repeats any output. */
export type Printed = { text: string } | { failure: string }

/**
 * Runs a program that handles a secret: without a shell, in its own environment, killed after the timeout with all
 * that it started. Its stderr is not read, because it may repeat the secret.
 */
export async function runPrivately(
  [file = '', ...args]: readonly string[],
  { stateDir, timeoutMs, input = '' }: RunOptions,
): Promise<Printed> {
  const { execa } = await import('execa')
  const path = file.replace(/^~(?=\/)/, homedir())
  const late = { failure: `did not end within ${timeoutMs / 1000} s` }
  const env = await Promise.race([
    environmentFor(path, stateDir),
    sleep(timeoutMs, undefined, { ref: false }),
  ])
  if (!env) return late
  const child = execa(path, args, {
    env,
    extendEnv: false,
    // Not the session's folder: a program might read its settings there.
    cwd: homedir(),
    input,
    stderr: 'ignore',
    maxBuffer: MAX_BYTES,
    reject: false,
    windowsHide: true,
    stripFinalNewline: false,
    // Its own process group, so that all of it can be killed at once.
    detached: process.platform !== 'win32',
  })
  let isLate = false
  // Kills the program if this process exits first, as a worker may.
  const onExit = () => kill(child.pid)
  process.once('exit', onExit)
  const timer = setTimeout(() => {
    isLate = true
    kill(child.pid)
    // A child that left the process group may keep the pipe open.
    child.kill('SIGKILL')
    child.stdout.destroy()
  }, timeoutMs)
  const { exitCode, signal, stdout, isMaxBuffer, ...ended } = await child
  clearTimeout(timer)
  process.removeListener('exit', onExit)
  if (isLate) return late
  if (isMaxBuffer) return { failure: `printed more than ${MAX_BYTES} bytes` }
  if (exitCode === 0) return { text: stdout }
  if (signal !== undefined) return { failure: `was killed by ${signal}` }
  if (exitCode !== undefined) return { failure: `ended with status ${exitCode}` }
  return { failure: `could not be started (${errorCode(ended.cause) ?? ended.code ?? 'unknown'})` }
}

/** The environment of a program, once the disk that it is on has answered. */
async function environmentFor(program: string, stateDir: string): Promise<Record<string, string>> {
  const own = workerEnvironment(stateDir, process.env)
  const isWindows = process.platform === 'win32'
  const PATH = isWindows ? (own.PATH ?? '') : `${own.PATH}:${MORE_PLACES}`
  await programAnswers(program, PATH)
  if (isWindows) return own
  // Needed to reach the keychain of a Linux desktop. In a folder of others, somebody else may listen.
  const given = await ownFolder(process.env.XDG_RUNTIME_DIR ?? '')
  return { ...own, PATH, XDG_RUNTIME_DIR: given ?? `/run/user/${process.getuid?.()}` }
}

function kill(pid: number | undefined) {
  if (pid === undefined || process.platform === 'win32') return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process group has already ended.
  }
}
