/** Whether the long sweeps run: `HOOKBELL_FULL=1`. */
export const isFull = process.env.HOOKBELL_FULL === '1'

/** How often a property is tried: `full` times in the long sweeps, each time with new values, else a fifth of it. */
export function runs(full: number): number {
  return isFull ? full : Math.ceil(full / 5)
}
