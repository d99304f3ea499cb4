import { monotonicMs } from '../monotonic.ts'
import { afterTurns } from '../patience.ts'
import { releaseAll } from './run.ts'

/** A signal that follows sooner is the same request: npm passes on what a terminal sends to this process too. */
const SAME_MS = 300

/** How long messages that are being sent may take to end. Containers are given ten seconds, and `uninstall` waits five. */
const FINISH_MS = 2000

/**
 * On SIGTERM or SIGINT, workers start nothing new, and what is being sent is finished and recorded, so that it is not
 * sent again. What takes longer, or a second signal, releases the claims without counting that as a crash.
 * @param folders the state folders in which this process has claims
 * @returns a signal that is aborted when the workers have to end
 */
export function endOnSignal(folders: () => readonly string[], exitCode: number): AbortSignal {
  const ending = new AbortController()
  const endNow = () => {
    for (const stateDir of folders()) releaseAll({ stateDir })
    process.exit(exitCode)
  }
  onEndSignal(() => {
    process.once('exit', () => {
      process.exitCode = exitCode
    })
    afterTurns(FINISH_MS, endNow, false)
    ending.abort()
  }, endNow)
  return ending.signal
}

/** Calls `first` at SIGTERM or SIGINT, and `again` at each one that is a new request. */
export function onEndSignal(first: () => void, again: () => void) {
  let firstAt: number | undefined
  const end = () => {
    if (firstAt === undefined) {
      firstAt = monotonicMs()
      first()
    } else if (monotonicMs() - firstAt >= SAME_MS) again()
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, end)
}
