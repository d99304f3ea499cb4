import type { Readable } from 'node:stream'
import { errorCode } from '../errors.ts'
import { waitAtMost } from '../patience.ts'

export interface Program {
  argv: readonly string[]
  env: Record<string, string>
  cwd: string
  input: string
  /** How much of its output is kept, in UTF-16 units. Default 4096. */
  keep?: number
}

/** How a program ended: not started at all, by a signal, or with a status. */
export interface Ended {
  notStarted?: string | undefined
  killedBy?: string | undefined
  status?: number | undefined
  stdout: string
  stderr: string
}

const KEPT_LENGTH = 4096
/** Time to read the last output, where a child that the program left running keeps the pipe open. */
const DRAIN_MS = 200

/**
 * Runs a program, without a shell, until it exits. When the signal aborts, it is killed with
 * everything that it started and that is still in its process group.
 */
export async function runProgram(program: Program, signal: AbortSignal): Promise<Ended> {
  const { execa } = await import('execa')
  // Loading that may take long on a busy machine. An aborted signal calls no listener: nothing would end the program.
  if (signal.aborted) return { notStarted: 'ABORTED', stdout: '', stderr: '' }
  const [file = '', ...args] = program.argv
  const child = execa(file, args, {
    env: program.env,
    extendEnv: false,
    cwd: program.cwd,
    input: program.input,
    buffer: false,
    reject: false,
    windowsHide: true,
    // Its own process group, so that all of it can be killed at once.
    detached: process.platform !== 'win32',
  })
  const [stdout, stderr] = [keepStart(child.stdout, program.keep), keepStart(child.stderr)]
  const ended = new Promise<Omit<Ended, 'stdout' | 'stderr'>>((resolve) => {
    child.once('exit', (status, killedBy) => {
      resolve({ status: status ?? undefined, killedBy: killedBy ?? undefined })
    })
    // Some errors, such as a link that leads back to itself, cause no event.
    if (child.pid === undefined)
      void child.then(({ cause }) => resolve({ notStarted: errorCode(cause) ?? 'unknown' }))
  })
  const kill = () => void killTree(child.pid)
  signal.addEventListener('abort', kill, { once: true })
  try {
    const end = await ended
    await waitAtMost(DRAIN_MS, child)
    return { ...end, stdout: stdout(), stderr: stderr() }
  } finally {
    signal.removeEventListener('abort', kill)
    // Children that it left running continue, without a reader for their output.
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

/** Keeps the start of the output. Reads all of it, so that the program never blocks on a full pipe. */
function keepStart(stream: Readable, length = KEPT_LENGTH): () => string {
  let kept = ''
  stream.setEncoding('utf8').on('data', (text: string) => {
    if (kept.length < length) kept += text.slice(0, length - kept.length)
  })
  stream.on('error', () => {})
  return () => kept
}

async function killTree(pid: number | undefined) {
  if (pid === undefined) return
  if (process.platform === 'win32') {
    const { execa } = await import('execa')
    await execa('taskkill', ['/pid', String(pid), '/t', '/f'], { reject: false })
    return
  }
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process group has already ended.
  }
}
