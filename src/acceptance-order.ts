interface Accepted {
  id: string
  acceptedAt: number
}

/**
 * Sorts the oldest first. Files written within one tick of the clock have the same time; then ids decide, which grow
 * within one process.
 */
export function byAcceptance(one: Accepted, other: Accepted): number {
  return one.acceptedAt - other.acceptedAt || (one.id < other.id ? -1 : 1)
}
