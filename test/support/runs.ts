const isFull = process.env.HOOKBELL_FULL === '1'

/** How often a property is tried: so often in the long sweeps, and on a sample otherwise. Each run draws new values. */
export function runs(full: number): number {
  return isFull ? full : Math.ceil(full / 5)
}
