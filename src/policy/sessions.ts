import { findClient } from '../clients/index.ts'
import { dropOldest } from '../drop-oldest.ts'
import { meaningOf } from '../event/meaning.ts'
import type { AcceptedEntry, JournalEntry } from '../journal/entry.ts'
import { isTurnOver, type Turns, turnMs } from './turns.ts'

/** How many sessions are remembered: more than run on one machine in a day. */
const MAX_SESSIONS = 500
/** The limit for each list of a session. */
const MAX_ITEMS = 30
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
  turnId: string
  /** Channels that a route chose for it. */
  judged: readonly string[]
  /** Those of them to which it was sent, or for which it is held. */
  to: readonly string[]
}

/** A question, or an answer to one. `toolUseId` is '' if the tool call that it is about is unknown. */
interface Asked {
  id: string
  at: number
  toolUseId: string
  /** The sub-agent that asks. Absent for the agent itself. */
  agentId?: string
}

/** What is known of one session. Times are Unix ms; 0: never. */
export interface Session extends Turns {
  /** The same for what sub-agents asked: they may wait for an answer while the turn ends. Absent if it is the same. */
  agentsAnsweredAt?: number
  questions: Asked[]
  /** Answers to single questions. */
  replies: Asked[]
  /** Ids of questions whose answer was seen elsewhere, as in a transcript. Absent in states of version 0.1. */
  answered?: string[]
  /** Events that later ones may repeat. */
  firsts: Earlier[]
  /** By channel: when something other than a question was last judged. */
  judgedAt: { [channel: string]: number }
  isSubagent: boolean
  /** Whether it runs without a person, by the latest event that shows it. Absent if unknown. */
  isHeadless?: boolean
}

/** By session key. The session with the latest event is last. */
export type Sessions = Map<string, Session>

/** The sessions of a saved state; empty if there is none. */
export function restoreSessions(saved: unknown): Sessions {
  return new Map(Object.entries(Object(saved) === saved ? (saved as object) : {}))
}

/** Ids are unique only per client. The space keeps the key from equalling a property that every object has. */
export function sessionKey({ client, sessionId }: { client: string; sessionId: string }): string {
  return `${client} ${sessionId}`
}

/** Idempotent: times only grow, and lists skip ids that they have. So entries that come twice change nothing. */
export function foldSession(sessions: Sessions, entry: JournalEntry) {
  if (entry.type === 'answered') return noteAnswer(sessions, entry)
  const isNew = entry.type === 'accepted' && !entry.duplicateOf && !entry.repeatOf
  if (!isNew || !entry.sessionId || entry.facts?.means === undefined) return
  const key = sessionKey(entry)
  const session = sessions.get(key) ?? emptySession()
  sessions.delete(key)
  sessions.set(key, session)
  remember(session, entry)
  dropOldest(sessions, MAX_SESSIONS)
}

function noteAnswer(
  sessions: Sessions,
  { id, ...whose }: { id: string; client: string; sessionId: string },
) {
  const session = sessions.get(sessionKey(whose))
  if (!session || session.answered?.includes(id)) return
  session.answered = [...(session.answered ?? []), id].slice(-MAX_ITEMS)
}

/** Whether a question, asked at `at`, has been answered since. */
export function isAnswered(session: Session, { id, at }: { id: string; at: number }): boolean {
  const { answeredAt, agentsAnsweredAt = answeredAt } = session
  const isOver = (one: Asked) =>
    (one.agentId ? agentsAnsweredAt : answeredAt) >= one.at ||
    session.answered?.includes(one.id) === true ||
    (one.toolUseId !== '' && session.replies.some(({ toolUseId }) => toolUseId === one.toolUseId))
  const asked = session.questions.find((one) => one.id === id)
  if (isOver(asked ?? { id, at, toolUseId: '' })) return true
  if (!asked) return false
  // Answers that name no question count only if there are at least as many as open questions: then all are answered.
  const open = session.questions.filter((one) => !isOver(one))
  const since = Math.min(...open.map((one) => one.at))
  const unnamed = session.replies.filter((one) => one.toolUseId === '' && one.at >= since)
  return unnamed.length >= open.length
}

/** Ids of the remembered questions that have been answered. */
export function answeredQuestions(session: Session): string[] {
  return session.questions.filter((one) => isAnswered(session, one)).map(({ id }) => id)
}

/** Kinds that tell where a session stands: a person who has written a prompt since has seen that. */
const seenByPrompt = ['done', 'waiting', 'failed', 'abnormal-end']

/** Whether the event is no longer worth sending: its question was answered, or a person went on with the session. */
export function isOver(
  session: Session | undefined,
  event: { id: string; at: number; kind: string },
): boolean {
  if (!session) return false
  if (event.kind === 'permission') return isAnswered(session, event)
  return seenByPrompt.includes(event.kind) && session.promptAt > event.at
}

function emptySession(): Session {
  return {
    promptAt: 0,
    answeredAt: 0,
    turnEnd: undefined,
    questions: [],
    replies: [],
    firsts: [],
    judgedAt: {},
    isSubagent: false,
  }
}

function remember(session: Session, entry: AcceptedEntry) {
  const { id, acceptedAt: at, kind, client, sessionId, event: name } = entry
  const { means = '', toolUseId: call = '', parentSessionId = '', ...facts } = entry.facts ?? {}
  // Two ids that were redacted look the same, but are not.
  const toolUseId = call.includes('[redacted]') ? '' : call
  const { notificationType = '', reason = '', tool = '', turnId = '', agentId } = facts
  const judged = judgedChannels(entry)
  const told = { client, sessionId, at, means, name, notificationType, reason, tool, turnId }
  const { backgroundAgents = 0 } = facts
  const meaning = meaningOf({ ...told, backgroundAgents } as Parameters<typeof meaningOf>[0])
  if (meaning.isPrompt) session.promptAt = Math.max(session.promptAt, at)
  if (meaning.isOwnTurn) session.ownTurnAt = Math.max(session.ownTurnAt ?? 0, at)
  if (meaning.isSessionEnd) session.endedAt = Math.max(session.endedAt ?? 0, at)
  if (meaning.isAnswer && !meaning.isAnswerToAll) append(session.replies, { id, at, toolUseId })
  else if (meaning.isAnswer) noteAnswerToAll(session, at, meaning.leavesAgents)
  if (means === 'SubagentStop' && agentId) noteAgentEnd(session, agentId, at)
  if (kind === 'permission') {
    append(session.questions, { id, at, toolUseId, ...(agentId && { agentId }) })
  }
  // An idle notice after a turn does not count as judged. This check needs `turnEnd` before it is updated below.
  else if (kind !== 'waiting' || !meaning.isIdle || !isTurnOver(session)) {
    noteJudged(session, judged, at)
  }
  if (meaning.isTurnEnd && at >= (session.turnEnd?.at ?? 0)) {
    const { backgroundTasks = 0, asks = false } = facts
    const leftTasksAt = backgroundTasks > 0 ? at : session.turnEnd?.leftTasksAt
    const { to = [] } = entry
    const { durationMs } = facts
    const isAgain = at === session.turnEnd?.at
    const tookMs = isAgain ? session.turnEnd?.tookMs : turnMs(session, { at, durationMs })
    const turnEnd = { at, means, backgroundTasks, backgroundAgents, judged, to }
    session.turnEnd = { ...turnEnd, asks, tookMs, leftTasksAt }
  }
  if (meaning.isSubagent && parentSessionId && parentSessionId !== sessionId) {
    session.isSubagent = true
  }
  if (facts.isHeadless !== undefined) session.isHeadless = facts.isHeadless
  const canRepeat = findClient(client)?.repeats.some(({ after }) => after === means)
  if (canRepeat) {
    const { to = [] } = entry
    const first = { id, at, means, name, notificationType, reason, tool, turnId, judged, to }
    append(session.firsts, first, MAX_FIRSTS)
  }
}

function noteAnswerToAll(session: Session, at: number, leavesAgents: boolean) {
  const { answeredAt, agentsAnsweredAt = answeredAt } = session
  session.answeredAt = Math.max(answeredAt, at)
  session.agentsAnsweredAt = leavesAgents ? agentsAnsweredAt : Math.max(agentsAnsweredAt, at)
}

function noteAgentEnd(session: Session, agentId: string, at: number) {
  const asked = session.questions.filter((one) => one.agentId === agentId && one.at <= at)
  const answered = new Set([...(session.answered ?? []), ...asked.map(({ id }) => id)])
  session.answered = [...answered].slice(-MAX_ITEMS)
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

function append<Item extends { id: string; at: number }>(
  list: Item[],
  item: Item,
  max = MAX_ITEMS,
) {
  if (list.some(({ id }) => id === item.id)) return
  // The entry was evicted earlier because the list was full; adding it again would reorder the list.
  if (list.length === max && item.at <= (list[0]?.at ?? 0)) return
  list.push(item)
  if (list.length > max) list.shift()
}
