const isFull = process.env.HOOKBELL_FULL === '1'

/** How often a property is tried: `full` times in the long sweeps, else a fifth of it. Each run draws new values. */
export function runs(full: number): number {
  return isFull ? full : Math.ceil(full / 5)
}
