import type { Meaning } from '../event/meaning.ts'
import { addLimited } from './limited-list.ts'

/** The limit for each list of a session. */
const MAX_ITEMS = 30

/** A question, or an answer to one. `toolUseId` is '' if the tool call that it is about is unknown. */
export interface Asked {
  id: string
  at: number
  toolUseId: string
  /** The sub-agent that asks. Absent for the agent itself. */
  agentId?: string
}

/** What is known of the questions of a session and of their answers. Times are Unix ms; 0: never. */
export interface Questions {
  /** When everything asked before was last answered, or no longer mattered. */
  answeredAt: number
  /** The same for what sub-agents asked: they may wait for an answer while the turn ends. Absent if it is the same. */
  agentsAnsweredAt?: number
  questions: Asked[]
  /** Answers to single questions. */
  replies: Asked[]
  /** Ids of questions whose answer was seen elsewhere, as in a transcript. Absent in states of version 0.1. */
  answered?: string[]
}

/** Whether a question, asked at `at`, has been answered since. */
export function isAnswered(session: Questions, { id, at }: { id: string; at: number }): boolean {
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
export function answeredQuestions(session: Questions): string[] {
  return session.questions.filter((one) => isAnswered(session, one)).map(({ id }) => id)
}

export function noteQuestion({ questions }: Questions, asked: Asked) {
  addLimited(questions, asked, MAX_ITEMS)
}

/** Notes an event that answers one question, or all of them. */
export function noteAnswer(
  session: Questions,
  { id, at, toolUseId }: Asked,
  { isAnswerToAll, leavesAgents }: Pick<Meaning, 'isAnswerToAll' | 'leavesAgents'>,
) {
  if (!isAnswerToAll) return addLimited(session.replies, { id, at, toolUseId }, MAX_ITEMS)
  const { answeredAt, agentsAnsweredAt = answeredAt } = session
  session.answeredAt = Math.max(answeredAt, at)
  session.agentsAnsweredAt = leavesAgents ? agentsAnsweredAt : Math.max(agentsAnsweredAt, at)
}

/** Notes that a sub-agent has ended, which waits for no answer any more. */
export function noteAgentEnd(session: Questions, agentId: string, at: number) {
  const asked = session.questions.filter((one) => one.agentId === agentId && one.at <= at)
  noteAnswered(
    session,
    asked.map(({ id }) => id),
  )
}

/** Notes that all questions before a moment were answered: the client asks one after the other, and asked another one then. */
export function noteAnsweredBefore(session: Questions, at: number) {
  const asked = session.questions.filter((one) => one.at < at)
  noteAnswered(
    session,
    asked.map(({ id }) => id),
  )
}

/** Notes questions whose answer was seen elsewhere. */
export function noteAnswered(session: Questions, ids: readonly string[]) {
  if (ids.length === 0) return
  session.answered = [...new Set([...(session.answered ?? []), ...ids])].slice(-MAX_ITEMS)
}
