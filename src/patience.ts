/** Enough for every step of a longer work, such as those of a delivery, to have its turn. */
const TURNS = 50

/**
 * Calls `done` after `ms`, in many turns of the event loop: if a busy machine gives this process little time, so that what
 * is waited for comes late, this takes longer too.
 * @param keepsAlive whether the process waits for it before it ends
 * @returns what cancels it
 */
export function afterTurns(ms: number, done: () => void, keepsAlive = true): () => void {
  let left = TURNS
  let timer: NodeJS.Timeout
  const turn = () => {
    if (left === 0) return done()
    left -= 1
    timer = setTimeout(turn, ms / TURNS)
    if (!keepsAlive) timer.unref()
  }
  turn()
  return () => clearTimeout(timer)
}

/** Resolves when the work has succeeded or failed, or after `ms`. @returns whether it has ended */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<boolean> {
  let cancel = () => {}
  const timeout = new Promise<boolean>((resolve) => {
    cancel = afterTurns(ms, () => resolve(false))
  })
  const ended = () => true
  const hasEnded = await Promise.race([work.then(ended, ended), timeout])
  cancel()
  return hasEnded
}
