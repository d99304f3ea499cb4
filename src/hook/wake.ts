import { existsSync, readFileSync } from 'node:fs'

/**
 * Starts a worker unless one lives. A wake-up is a hint: losing it may cost time, never an event.
 * The worker gets a session of its own and none of the agent's descriptors.
 */
export function wakeWorker(state: string, worker: string) {
  if (workerLives(state) || !existsSync(worker)) return
  const env = { ...withoutStartUpSwitches(process.env), HOOKBELL_STATE_DIR: state }
  startDetached(process.execPath, [worker], env)
}

export function startDetached(program: string, args: string[], env: NodeJS.ProcessEnv) {
  try {
    // Loaded only when something is to be started: it costs 3 ms.
    process
      .getBuiltinModule('node:child_process')
      .spawn(program, args, { cwd: '/', detached: true, stdio: 'ignore', windowsHide: true, env })
      .on('error', () => {})
      .unref()
  } catch {
    // No process can be started: the next hook tries again.
  }
}

/** The lock holds process id and start time. Without /proc the worker itself finds out whether it is needed. */
function workerLives(state: string): boolean {
  try {
    const [pid, started] = readFileSync(`${state}/worker.lock`, 'utf8').split(' ')
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
    // Dead but not reaped, or stopped: it does nothing any more.
    return !/[ZXTt]/.test(fields[0] ?? '') && fields[19] === started
  } catch {
    return false
  }
}

/** Variables that act on a program before its first line runs. */
function withoutStartUpSwitches(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(NODE|LD|npm)_/i.test(name)))
}
