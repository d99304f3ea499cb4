interface Accepted {
  id: string
  acceptedAt: number
}

/** Sorts the oldest first. Files written within one tick of the clock have the same time, but their ids grow. */
export function byAcceptance(one: Accepted, other: Accepted): number {
  return one.acceptedAt - other.acceptedAt || (one.id < other.id ? -1 : 1)
}
