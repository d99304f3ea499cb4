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
/** How often a hub has started with this Redis, counted without a script and in one. */
export const STARTS = `${PREFIX}:starts`
export const SCRIPTED = `${PREFIX}:scripted`
/** Why records were refused, the latest first. */
export const REFUSED = `${PREFIX}:refused`

/** Sessions that wait for an answer, by since when. */
export const WAITING = `${PREFIX}:waiting`

/** What a session asked and nobody has answered, by question. */
export function openKey(session: string): string {
  return `${PREFIX}:open:${session}`
}

/** Where the messages of a session are shown, as far as they can be withdrawn. */
export function shownKey(session: string): string {
  return `${PREFIX}:shown:${session}`
}

/** Since when nothing counts that the session asked before. */
export function answeredKey(session: string): string {
  return `${PREFIX}:answered:${session}`
}

/** Of a question that was answered. */
export function overKey(question: string): string {
  return `${PREFIX}:over:${question}`
}

/** Why the last attempt failed. */
export function failedKey(id: string): string {
  return `${PREFIX}:failed:${id}`
}

/** What was told; kept for a day, so that a repeat is not told again. */
export function seenKey(id: string): string {
  return `${PREFIX}:seen:${id}`
}
