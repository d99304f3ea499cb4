import type { DeliveryError } from './define.ts'

/** The result of work that cannot be aborted itself: after the signal it goes on, and nobody waits for it. */
export function untilAborted<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal,
  tooLate: () => DeliveryError,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(tooLate())
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}
