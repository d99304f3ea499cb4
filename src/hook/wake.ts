import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Starts a worker unless one lives. A wake-up is a hint: losing it may cost time, never an event.
 * The worker gets a session of its own and none of the agent's descriptors.
 */
export async function wakeWorker(state: string, worker: string) {
  if (workerLives(state) || !existsSync(worker)) return
  // Loaded only when a worker is to be started: it costs 3 ms.
  const { spawn } = await import('node:child_process')
  spawn(process.execPath, [worker], {
    cwd: '/',
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
    env: { ...withoutStartUpSwitches(process.env), HOOKBELL_STATE_DIR: state },
  })
    .on('error', () => {})
    .unref()
}

/** The lock holds process id and start time. Without /proc the worker itself finds out whether it is needed. */
function workerLives(state: string): boolean {
  try {
    const [pid, started] = readFileSync(join(state, 'worker.lock'), 'utf8').split(' ')
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19] === started
  } catch {
    return false
  }
}

/** Variables that act on a program before its first line runs. The worker removes the others itself. */
function withoutStartUpSwitches(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const {
    NODE_OPTIONS,
    NODE_PATH,
    NODE_EXTRA_CA_CERTS,
    NODE_TLS_REJECT_UNAUTHORIZED,
    LD_PRELOAD,
    LD_LIBRARY_PATH,
    ...rest
  } = env
  return rest
}
