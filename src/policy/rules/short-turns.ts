import { findClient } from '../../clients/index.ts'
import type { Session } from '../sessions.ts'
import { ANSWER_MS, ENDED_BEFORE, hasEndedAfter, isOwnTurn, isTurnOver, turnMs } from '../turns.ts'
import { defineRule, type JudgedEvent, send, suppress } from '../types.ts'

/**
 * Suppresses short turns: a person who waits a few seconds is still looking. A turn of unknown length is sent. One that
 * ends with a question is sent if nobody has answered for a minute; some clients report that by an event of its own.
 */
export const shortTurns = defineRule({
  name: 'short-turns',
  isNoise: true,
  judge(event, _, { session, noise, now }) {
    if (event.kind !== 'done') return send
    // Background tasks are over: the turn that reports it is short, but the work was not.
    if ((session?.turnEnd?.backgroundTasks ?? 0) > event.backgroundTasks) return send
    if (session && isReport(event, session)) return send
    // The turn at a scheduled time may be short too, but the person has waited longer.
    const { wakesAt } = session?.turnEnd ?? {}
    if (wakesAt !== undefined && wakesAt !== event.wakesAt) return send
    // Nobody waits for a turn that the client began by itself, so nobody sees what it asks.
    if (event.asks && session && isOwnTurn(session) && !isTurnOver(session)) return send
    const ms = turnMs(session, event)
    if (ms === undefined || ms >= noise.minSeconds * 1000) return send
    const reason = `the turn took ${seconds(ms)} s, less than ${noise.minSeconds} s`
    if (!isReportedLater(event)) return suppress(reason + howAsked(event))
    // If the event waited for the worker, counted from now: a later event that outdates it may be waiting too.
    const until = Math.max(event.at, now) + ANSWER_MS
    return { type: 'hold', until, reason: `${reason}; it asks something`, group: '' }
  },
  review({ kind, at }, { session, noise }) {
    const { tookMs } = session?.turnEnd ?? {}
    const isOff = noise.off.includes('short-turns')
    if (kind !== 'done' || isOff || tookMs === undefined) return undefined
    if (tookMs >= noise.minSeconds * 1000) return undefined
    return hasEndedAfter(session, at) ? ENDED_BEFORE : undefined
  },
})

/** Whether the client began the turn because a background task was over, and that is all that its events tell. */
function isReport({ client }: JudgedEvent, session: Session): boolean {
  const reports = findClient(client)?.ownTurnsReportTasks === true
  return reports && isOwnTurn(session) && !isTurnOver(session)
}

/** Whether only we can find out that a question at the end of a turn gets no answer. Nobody answers a one-shot run. */
function isReportedLater({ client, asks, isHeadless }: JudgedEvent): boolean {
  return asks === true && isHeadless !== true && findClient(client)?.reportsIdle !== true
}

/** Explains in the journal why the question was not sent. */
function howAsked({ asks, isHeadless }: JudgedEvent): string {
  return asks && !isHeadless ? "; if nobody answers, the client's own notice is told" : ''
}

/** Rounded down, so that it never looks like the limit itself. */
function seconds(ms: number): number {
  return Math.floor(ms / 100) / 10
}
