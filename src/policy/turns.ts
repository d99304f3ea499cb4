import type { Meaning } from '../event/meaning.ts'
import type { NoiseSettings } from './noise.ts'

/** More than are held at once: each one is dropped at the next. */
const MAX_WENT_ON = 20

export interface TurnEnd {
  at: number
  means: string
  backgroundTasks: number
  /** How many of them are agents. */
  backgroundAgents: number
  /** How many of the agents are teammates. */
  backgroundTeammates: number
  /** When the client was to go on by itself, Unix ms. Absent if it was not. */
  wakesAt?: number | undefined
  /** Channels that a route chose for it. */
  judged: readonly string[]
  /** Those of them to which it was sent, or for which it is held. */
  to: readonly string[]
  /** Whether its answer ends with a question. */
  asks: boolean
  /** How long a person had waited for it, in ms. Absent if unknown. */
  waitedMs?: number | undefined
}

/** What is known of the turns of a session. Times are Unix ms; 0: never. */
export interface Turns {
  /** When a person last wrote. */
  promptAt: number
  /** When the client last began a turn by itself. */
  ownTurnAt: number
  /** When the work began that goes on, or did last: what a person writes meanwhile does not begin it anew. */
  workAt: number
  /** When the session last came to rest. */
  restedAt: number
  /** When the client last said that it waits. */
  idleAt: number
  turnEnd: TurnEnd | undefined
  /** When the agent went on at the end of its turn, because of a hook or a prompt that was waiting. */
  wentOnAt: readonly number[]
  /** When the session last ended. */
  endedAt: number
}

export const noTurns: Turns = {
  ...{ promptAt: 0, ownTurnAt: 0, workAt: 0, restedAt: 0, idleAt: 0, endedAt: 0 },
  ...{ turnEnd: undefined, wentOnAt: [] },
}

/** When the last turn began, Unix ms; 0: unknown. */
export function turnStart({ promptAt, ownTurnAt }: Turns): number {
  return Math.max(promptAt, ownTurnAt)
}

/** Whether the last turn is over and no other has begun. */
export function isTurnOver(session: Turns): boolean {
  const { turnEnd } = session
  return turnEnd !== undefined && turnEnd.at >= turnStart(session) && !goesOnAtOnce(turnEnd)
}

/** Whether the agent goes on after what would be the end of its turn. */
export function goesOnAtOnce({ means }: { means: string }): boolean {
  return means === 'StopRefused' || means === 'StopQueued'
}

/**
 * Whether a message about the end of an earlier turn is not needed on a channel, because this end is sent to it or held for
 * it. Only another question that is told replaces a question.
 */
export function replaces(end: TurnEnd, { channel, asks }: { channel: string; asks: boolean }) {
  return end.to.includes(channel) && (!asks || (end.asks && !goesOnAtOnce(end)))
}

/** Whether the client began the turn that runs or ends now: not even its beginning may have been reported. */
export function isOwnTurn(session: Turns): boolean {
  return session.ownTurnAt > session.promptAt || isTurnOver(session)
}

/** Whether the client works on a turn that it began by itself. */
export function isAtWork(session: Turns): boolean {
  return session.ownTurnAt > session.promptAt && !isTurnOver(session)
}

/**
 * How long a person has waited for the end of a turn: since that person last wrote, or since the work began, whichever is
 * longer. So neither a hint during a long turn counts as its beginning, nor what the client begins by itself.
 * @param event `durationMs`: what the payload or the transcript says
 */
export function waitedMs(
  session: Turns | undefined,
  { at, durationMs }: { at: number; durationMs?: number | undefined },
): number | undefined {
  const { promptAt, workAt, restedAt } = session ?? noTurns
  const since = [promptAt, workAt > restedAt ? workAt : 0].filter((one) => one > 0 && one <= at)
  const times = [...since.map((one) => at - one), ...(durationMs === undefined ? [] : [durationMs])]
  return times.length > 0 ? Math.max(...times) : undefined
}

/** Notes what an event says of the turns of its session. Idempotent: times only grow. */
export function noteTurn(
  session: Turns,
  meaning: Meaning,
  { isInterrupted, ...ending }: TurnEnd & { isInterrupted: boolean },
) {
  const { at } = ending
  const { isPrompt, isOwnTurn: isOwn, isSessionEnd, isTurnEnd, isInterrupt } = meaning
  if (isPrompt) session.promptAt = Math.max(session.promptAt, at)
  if (isOwn) session.ownTurnAt = Math.max(session.ownTurnAt, at)
  // Some clients report only by their transcript, at the next prompt, that a person stopped the turn.
  const isStart = isPrompt || isOwn
  if (isInterrupted) noteRest(session, isStart ? at - 1 : at)
  if (isStart && at > session.restedAt) {
    const { workAt, restedAt } = session
    session.workAt = workAt > restedAt ? Math.min(workAt, at) : at
  }
  if (goesOnAtOnce(ending)) {
    session.wentOnAt = [...new Set([...session.wentOnAt, at])].slice(-MAX_WENT_ON)
  }
  if (isSessionEnd) session.endedAt = Math.max(session.endedAt, at)
  if (isSessionEnd) noteRest(session, at)
  if (!isTurnEnd || (isInterrupt && isLateInterrupt(session, at))) return
  if (!goesOnAtOnce(ending)) noteRest(session, at)
  const { turnEnd: before } = session
  if (at >= (before?.at ?? 0))
    session.turnEnd = listsTasks(ending) ? ending : { ...ending, ...tasksOf(before) }
}

/** Not every end of a turn tells what runs in the background. */
function listsTasks({ means }: { means: string }): boolean {
  return means !== 'StopFailure' && means !== 'Interrupt'
}

function tasksOf(end: TurnEnd | undefined) {
  const { backgroundTasks = 0, backgroundAgents = 0, backgroundTeammates = 0 } = end ?? {}
  return { backgroundTasks, backgroundAgents, backgroundTeammates }
}

function noteRest(session: Turns, at: number) {
  session.restedAt = Math.max(session.restedAt, at)
}

/**
 * A client that is killed in a turn may report afterwards that a person stopped it. One before the last turn is noted
 * already, or was late then.
 */
function isLateInterrupt(session: Turns, at: number): boolean {
  const start = turnStart(session)
  return start > at || (session.endedAt > 0 && session.endedAt >= start)
}

/**
 * Why nothing is missing on a channel that does not get what comes after the end of a turn: it gets that end, or the
 * turn was short and asked nothing, so that the person was still looking.
 * @returns undefined if something is missing
 */
export function whyKnown(
  { judged, to, asks, waitedMs: ms }: TurnEnd,
  channel: string,
  { minSeconds, off }: Pick<NoiseSettings, 'minSeconds' | 'off'>,
): string | undefined {
  if (to.includes(channel)) return 'the end of the turn before it is told on this channel'
  if (!judged.includes(channel) || asks || ms === undefined || off.includes('short-turns')) {
    return undefined
  }
  return ms < minSeconds * 1000 ? `the turn before it ${tookLess(ms, minSeconds)}` : undefined
}

/** `took 5.1 s, less than 15 s`. Rounded down, so that it never looks like the limit itself. */
export function tookLess(ms: number, minSeconds: number): string {
  return `took ${Math.floor(ms / 100) / 10} s, less than ${minSeconds} s`
}
