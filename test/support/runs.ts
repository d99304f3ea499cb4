/** Whether the long sweeps run: `HOOKBELL_FULL=1`. */
export const isFull = process.env.HOOKBELL_FULL === '1'

/** The number of runs of a property: `full` in the long sweeps, with new values each time, otherwise a fifth of it. */
export function runs(full: number): number {
  return isFull ? full : Math.ceil(full / 5)
}
