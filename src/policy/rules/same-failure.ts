import { addLimited } from '../../drop-oldest.ts'
import type { AcceptedEntry } from '../../journal/entry.ts'
import { type Session, sessionKey } from '../sessions.ts'
import { replaces } from '../turns.ts'
import { definePolicy, type JudgedEvent, send, suppress } from '../types.ts'

/** How often the failures of several sessions are told while they have one cause. */
const TOGETHER_MS = 60_000
/** After this long without another failure, the cause counts as gone. */
const OVER_MS = 10 * 60_000
/** More than fail within that time on one machine. */
const MAX_KNOWN = 200

/** A failure of which somebody was told, or will be. */
interface Known {
  id: string
  at: number
  client: string
  cause: string
  session: string
  /** The channels that got it, or for which it is held. */
  to: readonly string[]
}

/**
 * A usage limit or an outage stops many sessions at once. The first failure is told at once; those of other sessions that
 * follow with the same cause are told together, once a minute. A session that fails again in the same way is not told
 * again until a person has written in it, it has asked something, or a turn of it has ended well. On a channel for
 * programs only that applies.
 */
export const sameFailure = definePolicy<Known[]>({
  name: 'same-failure',
  isNoise: true,
  restore: (saved = []) => (Array.isArray(saved) ? saved : []),
  fold(known, entry) {
    if (entry.type === 'accepted' && wasSent(entry)) addLimited(known, knownOf(entry), MAX_KNOWN)
    return known
  },
  judge(event, { channel, summarizes }, known, { session, now }) {
    const before = known.filter((one) => isAlike(one, event) && one.to.includes(channel))
    const own = before.findLast((one) => one.session === sessionKey(event))
    if (own && isStillFailing(session, own)) {
      return suppress(`the session fails again as in ${short(own)}`)
    }
    const first = firstOf(before, event.at)
    // If the session has failed in this way before, a person or the agent has tried again.
    if (!summarizes || !first || (own && own.at >= first.at)) return send
    const passedMs = Math.max(event.at, now) - first.at
    const until = first.at + (Math.floor(passedMs / TOGETHER_MS) + 1) * TOGETHER_MS
    const reason = `other sessions fail as well, as in ${short(first)}; they are told together`
    return { type: 'hold', until, reason, group: `failure ${event.client} ${first.cause}` }
  },
  review({ kind, at, channel }, _, { session }) {
    const { turnEnd } = session ?? {}
    if (kind !== 'failed' || turnEnd?.means !== 'Stop' || turnEnd.at <= at) return undefined
    const isFollowed = replaces(turnEnd, { channel, asks: false })
    return isFollowed ? 'a later turn of its session ended well, and is told' : undefined
  },
})

function wasSent({ kind, to = [], facts }: AcceptedEntry): boolean {
  return kind === 'failed' && to.length > 0 && facts?.failureCause !== undefined
}

function knownOf(entry: AcceptedEntry): Known {
  const { id, acceptedAt: at, client, to = [], facts } = entry
  return { id, at, client, cause: facts?.failureCause ?? '', session: sessionKey(entry), to }
}

function isAlike(one: Known, { id, kind, client, failure }: JudgedEvent): boolean {
  return kind === 'failed' && one.id !== id && one.client === client && one.cause === failure?.cause
}

/** Whether nothing has happened in the session since that failure but others. */
function isStillFailing(session: Session | undefined, { at }: Known): boolean {
  const { promptAt = 0, turnEnd, questions = [] } = session ?? {}
  const hasAsked = questions.some((asked) => asked.at > at)
  return promptAt <= at && !hasAsked && turnEnd?.means === 'StopFailure' && turnEnd.at >= at
}

/** The failure with which the cause began that is still there at a moment; undefined if there is none. */
function firstOf(before: readonly Known[], moment: number): Known | undefined {
  let first: Known | undefined
  let lastAt = Number.NEGATIVE_INFINITY
  for (const one of before.toSorted((a, b) => a.at - b.at)) {
    if (one.at - lastAt > OVER_MS) first = one
    lastAt = one.at
  }
  return moment - lastAt > OVER_MS ? undefined : first
}

function short({ id }: Known): string {
  return id.slice(0, 8)
}
