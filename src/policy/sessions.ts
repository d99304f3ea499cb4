import { QUEUED_PROMPT_MS } from '../context/turn.ts'
import { addLimited, dropOldest } from '../drop-oldest.ts'
import { isNextQuestion, type Meaning, mayRepeat, meaningOf } from '../event/meaning.ts'
import { type AcceptedEntry, type JournalEntry, STILL_EVENT } from '../journal/entry.ts'
import { type QuestionEnd, questionEnd } from '../journal/history.ts'
import {
  isAnswered,
  noteAgentEnd,
  noteAnswer,
  noteCopy,
  noteNextQuestion,
  noteQuestion,
  noteRecorded,
  type Questions,
} from './questions.ts'
import { noteSeen, type Seen } from './seen.ts'
import { goesOnAtOnce, isTurnOver, noTurns, noteTurn, type Turns } from './turns.ts'

/** How many sessions are remembered: more than run on one machine in a day. */
const MAX_SESSIONS = 1500
const MAX_FIRSTS = 10
const MAX_CHANNELS = 50

/** An earlier event, with the fields that later ones are compared with. */
export interface Earlier {
  id: string
  at: number
  means: string
  name: string
  notificationType: string
  reason: string
  tool: string
  /** The call of the tool. Absent if unknown. */
  toolUseId?: string
  turnId: string
  /** Channels that a route chose for it. */
  judged: readonly string[]
  /** Those of them to which it was sent, or for which it is held. */
  to: readonly string[]
}

/** What is known of one session. Times are Unix ms; 0: never. */
export interface Session extends Turns, Questions {
  /** When the latest of its events was accepted. */
  latestAt: number
  /** Events that later ones may repeat. */
  firsts: Earlier[]
  /** By channel: when something other than a question was last judged. */
  judgedAt: { [channel: string]: number }
  isSubagent: boolean
  /** The folder of its first event, which names its project. Absent if unknown. */
  cwd?: string
  /** The id of the turn that a person began last, or wrote to. Absent or '' if it has none. */
  turnId?: string
  /** Whether it runs without a person, by the latest event that shows it. Absent if unknown. */
  isHeadless?: boolean
  /** When a person was told last that it stands still. Absent if never. */
  toldStillAt?: number
  /** What a list of sessions shows of it. Absent if no agent's event has told of it. */
  seen?: Seen
}

type Facts = Parameters<typeof meaningOf>[0]

/** By session key. The session with the latest event is last. */
export type Sessions = Map<string, Session>

/** The sessions of a saved state; empty if there is none. */
export function restoreSessions(saved: unknown): Sessions {
  return new Map(Object.entries(Object(saved) === saved ? (saved as object) : {}))
}

/** Which session is meant. */
export interface SessionRef {
  client: string
  sessionId: string
}

/** Ids are unique only per client. The space keeps the key from equalling a property that every object has. */
export function sessionKey({ client, sessionId }: SessionRef): string {
  return `${client} ${sessionId}`
}

/** The inverse: the name of a client has no space. */
export function refOf(key: string): SessionRef {
  const end = key.indexOf(' ')
  return { client: key.slice(0, end), sessionId: key.slice(end + 1) }
}

/** Idempotent: times only grow, and lists skip ids that they have. So entries that come twice change nothing. */
export function foldSession(sessions: Sessions, entry: JournalEntry) {
  if (entry.type === 'answered' || entry.type === 'unanswered') {
    const session = sessions.get(sessionKey(entry))
    if (session) noteRecorded(session, entry.id, questionEnd(entry))
    return
  }
  if (entry.type !== 'accepted' || !entry.sessionId || entry.facts?.means === undefined) return
  const key = sessionKey(entry)
  const { id, kind, repeatOf, duplicateOf = repeatOf } = entry
  if (entry.event === STILL_EVENT) {
    const known = sessions.get(key)
    if (known) noteToldStill(known, entry.acceptedAt)
    return
  }
  if (duplicateOf) {
    const known = sessions.get(key)
    if (known && kind === 'permission') noteCopy(known, id, duplicateOf)
    return
  }
  const session = sessions.get(key) ?? emptySession()
  sessions.delete(key)
  sessions.set(key, session)
  remember(session, entry)
  dropOldest(sessions, MAX_SESSIONS)
}

/** Whether a person was told that it stands still since its last event. */
export function isToldStill({ toldStillAt = 0, latestAt }: Session): boolean {
  return toldStillAt >= latestAt
}

export function noteToldStill(session: Session, at: number) {
  session.toldStillAt = Math.max(session.toldStillAt ?? 0, at)
}

/** The entries for the answers of a session that the journal lacks. */
export function answerEntries(key: string, session: Session | undefined, at: number) {
  const known = session?.questions.filter(({ isRecorded }) => !isRecorded) ?? []
  return known.flatMap(({ id, answer }): JournalEntry[] => {
    if (!answer) return []
    const { at: answeredAt, how } = answer
    const entry = { at, id, ...refOf(key) }
    return how === 'none'
      ? [{ ...entry, type: 'unanswered' }]
      : [{ ...entry, type: 'answered', how, answeredAt }]
  })
}

/** Kinds that show the state of a session: a person who has written a prompt since has seen it. */
const seenByPrompt = ['done', 'waiting', 'failed', 'abnormal-end']

/** Whether the event is no longer worth sending: its question was answered, or a person went on with the session. */
export function isOver(
  session: Session | undefined,
  event: { id: string; at: number; kind: string },
): boolean {
  if (!session) return false
  const { kind, at } = event
  if (kind === 'permission') return isAnswered(session, event)
  // A prompt that was waiting when the turn ended was written before that.
  const since = session.wentOnAt.includes(at) ? at + QUEUED_PROMPT_MS : at
  return seenByPrompt.includes(kind) && session.promptAt > since
}

/** A session of which nothing is known. */
export function emptySession(): Session {
  return {
    ...noTurns,
    ...{ answeredAt: 0, agentsAnsweredAt: 0, questions: [], replies: [] },
    ...{ latestAt: 0, firsts: [], judgedAt: {}, isSubagent: false },
  }
}

/** What later events are compared with. */
export function earlierOf(entry: AcceptedEntry): Earlier {
  const { id, acceptedAt: at, event: name, facts = {}, to = [] } = entry
  const { means = '', notificationType = '', reason = '', tool = '', turnId = '' } = facts
  const toolUseId = knownCall(facts.toolUseId)
  const judged = judgedChannels(entry)
  const earlier = { id, at, means, name, notificationType, reason, tool, turnId, judged, to }
  return toolUseId === '' ? earlier : { ...earlier, toolUseId }
}

function remember(session: Session, entry: AcceptedEntry) {
  const { id, acceptedAt: at, kind, client, sessionId } = entry
  const { parentSessionId = '', agentId = '', ...facts } = entry.facts ?? {}
  const { backgroundTasks = 0, backgroundAgents = 0, wakesAt } = facts
  const earlier = earlierOf(entry)
  const { means, turnId, judged, to } = earlier
  const meaning = meaningOf({ ...earlier, client, sessionId, backgroundAgents } as Facts)
  session.latestAt = Math.max(session.latestAt, at)
  noteSeen(session, entry, meaning)
  const isIdle = kind === 'waiting' && meaning.isIdle
  // Neither an idle notice after a turn nor an end after which the agent goes on counts as judged. Computed before
  // `noteTurn` changes the session.
  const isAside = (isIdle && isTurnOver(session)) || goesOnAtOnce({ means })
  if (kind !== 'permission' && !isAside) noteJudged(session, judged, at)
  // Some clients send that notice also when a person stops a turn.
  if (isIdle && !meaning.isAnswer) session.idleAt = Math.max(session.idleAt, at)
  const how = signIn(meaning, turnId !== '' && turnId === session.turnId)
  if (meaning.isPrompt) session.turnId = turnId
  noteTurn(session, meaning, {
    ...{ at, means, backgroundTasks, backgroundAgents, wakesAt, judged, to },
    backgroundTeammates: facts.backgroundTeammates ?? 0,
    ...{ asks: facts.asks === true, waitedMs: facts.durationMs },
    isInterrupted: facts.isInterrupted === true && kind !== 'abnormal-end',
  })
  const asked = {
    ...{ id, at, toolUseId: knownCall(facts.toolUseId), ...(agentId && { agentId }) },
    ...(facts.transcriptPath && { transcriptPath: facts.transcriptPath }),
  }
  if (meaning.isAnswer) noteAnswer(session, asked, meaning, how)
  // The end of the last sub-agent may be that of the session's work.
  if ((means === 'SubagentStop' || means === 'Stop') && agentId) noteAgentEnd(session, agentId, at)
  if (isNextQuestion({ client, kind })) noteNextQuestion(session, at)
  if (kind === 'permission') noteQuestion(session, asked)
  if (meaning.isSubagent && parentSessionId && parentSessionId !== sessionId) {
    session.isSubagent = true
  }
  if (facts.isOfSubagent) session.isSubagent = true
  // It may be resumed in another folder.
  if (meaning.isSessionEnd) delete session.cwd
  else if (facts.cwd) session.cwd ??= facts.cwd
  if (facts.isHeadless !== undefined) session.isHeadless = facts.isHeadless
  const isCall = kind === 'permission' && earlier.toolUseId !== undefined
  if (isCall || mayRepeat({ client, means })) addLimited(session.firsts, earlier, MAX_FIRSTS)
}

/**
 * What an event that answers shows. @param isWithinTurn whether it names the turn that runs: Codex takes up a prompt within a
 * turn long after it was written
 */
function signIn(
  { isAnswerToAll, isInterrupt, isPrompt, isSessionEnd }: Meaning,
  isWithinTurn: boolean,
): QuestionEnd['how'] {
  if (!isAnswerToAll) return 'reply'
  if (isSessionEnd) return 'none'
  if (isPrompt && !isWithinTurn) return 'prompt'
  return isInterrupt ? 'interrupt' : 'went-on'
}

/** Two ids that were redacted look the same, but are not. */
function knownCall(toolUseId = ''): string {
  return toolUseId.includes('[redacted]') ? '' : toolUseId
}

/** The channels that a route chose: each of them has a line in the trace. */
function judgedChannels({ trace = [], to = [] }: AcceptedEntry): string[] {
  const judged = trace.flatMap(({ channel }) => (channel === undefined ? [] : [channel]))
  return [...new Set([...judged, ...to])].slice(0, MAX_CHANNELS)
}

/** When something other than a question was last judged for the channel; 0 for never. */
export function lastJudgedAt({ judgedAt }: Session, channel: string): number {
  return Object.hasOwn(judgedAt, channel) ? (judgedAt[channel] ?? 0) : 0
}

function noteJudged(session: Session, channels: readonly string[], at: number) {
  for (const channel of channels) {
    session.judgedAt[channel] = Math.max(lastJudgedAt(session, channel), at)
  }
  for (const old of Object.keys(session.judgedAt).slice(0, -MAX_CHANNELS)) {
    delete session.judgedAt[old]
  }
}
