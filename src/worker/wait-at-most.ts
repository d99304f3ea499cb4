/** How long to wait for a journal entry where work goes on without it: the disk may be full for hours. */
export const RECORD_LIMIT_MS = 1000

/** Resolves when the work has succeeded or failed, or after `ms`. @returns whether it has ended */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const ended = () => true
  const hasEnded = await Promise.race([work.then(ended, ended), timeout])
  clearTimeout(timer)
  return hasEnded
}
