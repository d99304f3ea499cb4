import { spawn } from 'node:child_process'
import { CANARY_EVENT } from '../journal/entry.ts'

const LIMIT_MS = 10_000

export interface CanaryRun {
  /** From the start of the shell to the end of the output. */
  ms: number
  code: number | null
  output: string
  isLate: boolean
}

/**
 * Runs a registered command as a client does: through a shell, with pipes, without closing stdin, until the output is
 * closed. Nobody is notified of the event, because of its name.
 */
export function fireCanary(
  command: string,
  env: NodeJS.ProcessEnv,
  sessionId: string,
  limitMs = LIMIT_MS,
): Promise<CanaryRun> {
  return new Promise((resolve) => {
    const startedAt = performance.now()
    const hook = spawn('/bin/sh', ['-c', command], {
      env,
      cwd: '/',
      stdio: 'pipe',
      detached: true,
    })
    let output = ''
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      if (hook.pid !== undefined) process.kill(-hook.pid, 'SIGKILL')
    }, limitMs)
    for (const stream of [hook.stdout, hook.stderr])
      stream.on('data', (chunk) => {
        output += chunk
      })
    const end = (code: number | null) => {
      clearTimeout(timer)
      hook.stdin.destroy()
      resolve({ ms: Math.round(performance.now() - startedAt), code, output, isLate })
    }
    hook.once('error', () => end(null))
    hook.once('close', end)
    hook.stdin.on('error', () => {})
    hook.stdin.write(JSON.stringify({ hook_event_name: CANARY_EVENT, session_id: sessionId }))
  })
}
