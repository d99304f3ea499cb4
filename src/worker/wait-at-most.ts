/** How long to wait for a journal entry where work goes on without it: the disk may be full for hours. */
export const RECORD_LIMIT_MS = 1000

/** Resolves when the work has ended, well or not, or after some time. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work.catch(() => {}), timeout])
  clearTimeout(timer)
}
