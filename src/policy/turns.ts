import { QUEUED_PROMPT_MS } from '../context/turn.ts'
import type { Meaning } from '../event/meaning.ts'
import type { Questions } from './questions.ts'

/** More than are held at once: each one is dropped at the next. */
const MAX_WENT_ON = 20

/** How long clients that report an unanswered turn by themselves wait before they do. */
export const ANSWER_MS = 60_000

export interface TurnEnd {
  at: number
  means: string
  backgroundTasks: number
  /** How many of them are agents. Absent in states of version 0.1. */
  backgroundAgents?: number
  /** When the client was to go on by itself, Unix ms. Absent if it was not. */
  wakesAt?: number | undefined
  judged: readonly string[]
  /** Those of them to which it was sent, or for which it is held. Absent in states of version 0.1. */
  to?: readonly string[]
  /** Whether its answer ends with a question. */
  asks?: boolean
  /** How long it took, in ms. Absent if unknown. */
  tookMs?: number | undefined
  /** When the last turn, this one or an earlier one, left background tasks running, Unix ms. Absent for never. */
  leftTasksAt?: number | undefined
}

/** What is known of the turns of a session. Times are Unix ms; 0: never. */
export interface Turns {
  /** When a person last wrote, other than within a turn of a client that gives turns an id. */
  promptAt: number
  /** The id of the turn that this prompt began. Absent if it has none. */
  turnId?: string | undefined
  /** When the client last began a turn by itself. Absent for never. */
  ownTurnAt?: number
  turnEnd: TurnEnd | undefined
  /** When the agent went on at the end of its turn, because of a hook or a prompt that was waiting. Absent for never. */
  wentOnAt?: readonly number[]
  /** When the session last ended. Absent for never. */
  endedAt?: number
}

/** When the last turn began, Unix ms; 0: unknown. */
export function turnStart({ promptAt, ownTurnAt = 0 }: Turns): number {
  return Math.max(promptAt, ownTurnAt)
}

/** Whether the last turn is over and no other has begun. */
export function isTurnOver(session: Turns): boolean {
  const { turnEnd } = session
  return turnEnd !== undefined && turnEnd.at >= turnStart(session) && !goesOn(turnEnd)
}

/** Whether the agent goes on after what would be the end of its turn. */
export function goesOn({ means }: { means: string }): boolean {
  return means === 'StopRefused' || means === 'StopQueued'
}

/** The end of the turn before the one that runs at a moment, if its prompt was waiting for that. */
function endBeforeQueued(session: Turns, at: number): TurnEnd | undefined {
  const { turnEnd } = session
  if (turnEnd?.means !== 'StopQueued' || turnEnd.at > at) return undefined
  return turnStart(session) <= turnEnd.at + QUEUED_PROMPT_MS ? turnEnd : undefined
}

/** Whether the client began the last turn by itself: nobody waits for its end. */
export function isOwnTurn({ promptAt, ownTurnAt = 0 }: Turns): boolean {
  return ownTurnAt > promptAt
}

/**
 * How long the turn took that ends now: the time since it began if that is known here, else what the payload or the
 * transcript says. If its prompt was waiting, the turn before counts too: nobody was told of its end.
 */
export function turnMs(
  session: Turns | undefined,
  { at, durationMs }: { at: number; durationMs?: number | undefined },
): number | undefined {
  if (session === undefined || isTurnOver(session)) return durationMs
  const start = turnStart(session)
  const before = endBeforeQueued(session, at)
  if (before) {
    const { tookMs } = before
    return tookMs === undefined ? undefined : tookMs + Math.max(0, at - Math.max(start, before.at))
  }
  return start > 0 && start <= at ? at - start : durationMs
}

/**
 * How long a person has waited for the end of a turn: it may only report that background tasks of an earlier one are over,
 * and nobody was told of the turns before, if prompts were waiting.
 */
export function waitedMs(
  session: Turns | undefined,
  event: { at: number; durationMs?: number | undefined; backgroundTasks: number },
): number | undefined {
  const { promptAt = 0, turnEnd } = session ?? {}
  const areOver = (turnEnd?.backgroundTasks ?? 0) > event.backgroundTasks
  const isReport = session !== undefined && isOwnTurn(session) && !isTurnOver(session) && areOver
  // Otherwise the same as for the rule about short turns, whose reason must fit the title.
  return isReport && promptAt > 0 ? event.at - promptAt : turnMs(session, event)
}

/** What an event says of a turn that ends with it. */
type EndingTurn = Omit<TurnEnd, 'tookMs' | 'leftTasksAt'> & {
  durationMs?: number | undefined
  turnId?: string
}

/** Notes what an event says of the turns of its session. Idempotent: times only grow. */
export function noteTurn(
  session: Turns,
  { isPrompt, isOwnTurn, isSessionEnd, isTurnEnd, isInterrupt }: Meaning,
  { durationMs, turnId, ...ending }: EndingTurn,
) {
  const { at, backgroundTasks } = ending
  const { turnEnd: last } = session
  // Codex takes up a prompt within a turn long after it was written: its time is neither the beginning of the turn nor a sign
  // of a person.
  if (isPrompt && (!turnId || turnId !== session.turnId)) {
    session.promptAt = Math.max(session.promptAt, at)
    session.turnId = turnId || undefined
  }
  if (isOwnTurn) session.ownTurnAt = Math.max(session.ownTurnAt ?? 0, at)
  if (goesOn(ending)) {
    session.wentOnAt = [...new Set([...(session.wentOnAt ?? []), at])].slice(-MAX_WENT_ON)
  }
  if (isSessionEnd) session.endedAt = Math.max(session.endedAt ?? 0, at)
  if (!isTurnEnd || at < (last?.at ?? 0)) return
  if (isInterrupt && isLateInterrupt(session, at)) return
  const tookMs = at === last?.at ? last.tookMs : turnMs(session, { at, durationMs })
  const leftTasksAt = backgroundTasks > 0 ? at : last?.leftTasksAt
  session.turnEnd = { ...ending, tookMs, leftTasksAt }
}

/**
 * A client that is killed in a turn may report afterwards that a person stopped it. One before the last turn is noted
 * already, or was late then.
 */
function isLateInterrupt(session: Turns, at: number): boolean {
  const start = turnStart(session)
  return start > at || (session.endedAt !== undefined && session.endedAt >= start)
}

/** The recorded reason for a turn that is not sent because its session is over. */
export const ENDED_BEFORE = 'the session ended before it was told'

/** Whether the session ended after its last turn, which ended at `at`. */
export function hasEndedAfter(
  session: (Turns & Pick<Questions, 'answeredAt'>) | undefined,
  at: number,
): boolean {
  return session?.turnEnd?.at === at && session.answeredAt > at
}
