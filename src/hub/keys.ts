/** All keys of a hub begin so. */
export const PREFIX = 'hb'

/** The list that machines add to. */
export const INBOX = `${PREFIX}:in`
/** What was in it when it was shut because Redis was almost full: then the list is none, and nothing can be added. */
export const HELD = `${PREFIX}:held`
/** Bytes to give away when Redis is full. */
export const RESERVE = `${PREFIX}:reserve`
/** What a router has taken from it and not yet put into the queues. */
export const TAKEN = `${PREFIX}:taken`
/** Which hub is the router now. */
export const ROUTER = `${PREFIX}:router`
/** How many ended how. */
export const COUNTS = `${PREFIX}:counts`
/** Why records were refused, the latest first. */
export const REFUSED = `${PREFIX}:refused`

/** What was told; kept for a day, so that a repeat is not told again. */
export function seenKey(id: string): string {
  return `${PREFIX}:seen:${id}`
}
