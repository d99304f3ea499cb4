import { createContext, Script } from 'node:vm'

/** A pattern may take exponential time, and the worker waits for it. */
const MAX_CPU_MS = 50
/** Longer than MAX_CPU_MS, so that on an idle machine the first try decides. */
const FIRST_TRY_MS = 60

const script = new Script("new RegExp(pattern, 'u').test(text)")

/**
 * Whether the regular expression matches. One that needs more than 50 ms of CPU time is stopped and does not match. If
 * the process got less CPU time than that before the timeout, the match is tried again with a longer one.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  for (let wallMs = FIRST_TRY_MS; ; wallMs *= 2) {
    const before = process.cpuUsage()
    try {
      return script.runInContext(createContext({ pattern, text }), { timeout: wallMs }) === true
    } catch (error) {
      if (!isTimeout(error)) return false
    }
    // The CPU time of all threads is too high rather than too low, so a malicious pattern ends in any case.
    const { user, system } = process.cpuUsage(before)
    if ((user + system) / 1000 >= MAX_CPU_MS) return false
  }
}

function isTimeout(error: unknown): boolean {
  return Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
