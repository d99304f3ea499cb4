import { monotonicMs } from './monotonic.ts'

/** A signal that follows sooner is the same request: npm passes on what a terminal sends to this process too. */
const SAME_MS = 300

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
