/** All keys of a hub begin with this. */
export const PREFIX = 'hb'

/** How long a hub remembers a message that has ended, a question, and its answer. */
export const REMEMBERED_SECONDS = 24 * 3600

/** The list that machines add to. */
export const INBOX = `${PREFIX}:in`
/** The content of the inbox while it is shut because Redis is almost full. INBOX is then a string, so RPUSH fails. */
export const HELD = `${PREFIX}:held`
/** A value that is deleted to free its bytes when Redis is full. */
export const RESERVE = `${PREFIX}:reserve`
/** The records that a router has taken from the inbox and not yet put into the queues. */
export const TAKEN = `${PREFIX}:taken`
/** The token of the hub that is the router now. */
export const ROUTER = `${PREFIX}:router`
/** When a router last saw the inbox empty: what is in it came later. */
export const EMPTY = `${PREFIX}:empty`
/** How many messages ended in each state. */
export const COUNTS = `${PREFIX}:counts`
/** How often a hub has started with this Redis: the first is counted by a plain command, the second in a script. */
export const STARTS = `${PREFIX}:starts`
export const SCRIPTED = `${PREFIX}:scripted`
/** Why records were refused, the latest first. */
export const REFUSED = `${PREFIX}:refused`

/** Sessions that wait for an answer, sorted by when the wait began. */
export const WAITING = `${PREFIX}:waiting`

/** The open questions of a session, by question. */
export function openKey(session: string): string {
  return `${PREFIX}:open:${session}`
}

/** The shown messages of a session that can be withdrawn. */
export function shownKey(session: string): string {
  return `${PREFIX}:shown:${session}`
}

/** The ids of the session's messages that are being withdrawn. */
export function withdrawingKey(session: string): string {
  return `${PREFIX}:withdrawing:${session}`
}

/** When the session was last answered: whatever it asked before that is over. */
export function answeredKey(session: string): string {
  return `${PREFIX}:answered:${session}`
}

/** Marks a question that was answered. */
export function overKey(question: string): string {
  return `${PREFIX}:over:${question}`
}

/** Marks a channel to which nothing gets through. Its value is the name of the channel that got the notice, or ''. */
export function downKey(channel: string): string {
  return `${PREFIX}:down:${channel}`
}

/** Why the last attempt to send a message failed. */
export function failedKey(id: string): string {
  return `${PREFIX}:failed:${id}`
}

/** How a message ended; kept for a day, so that a repeat is not sent again. */
export function seenKey(id: string): string {
  return `${PREFIX}:seen:${id}`
}

/** The lines of an ACL file with the least rights. Whoever steals a machine's password can only add to the inbox. */
export const aclLines: readonly string[] = [
  // Nobody can log in as that user. But Redis loads its own append-only file as that user, and without rights it would
  // silently skip whatever scripts and transactions had written.
  'user default off resetpass ~* +@all',
  `user machine on >MACHINE_PASSWORD resetchannels -@all +rpush %W~${INBOX}`,
  `user hub on >HUB_PASSWORD resetchannels ~${PREFIX}:* -@all +@read +@write +@connection +@scripting +@transaction -@dangerous +info`,
]
