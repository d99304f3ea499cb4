import { addLimited } from '../drop-oldest.ts'
import type { Meaning } from '../event/meaning.ts'
import type { QuestionEnd } from '../journal/history.ts'

/** The limit for each list of a session. */
const MAX_ITEMS = 100

/** A question. `toolUseId` is '' if the tool call that it is about is unknown. */
export interface Question {
  id: string
  at: number
  toolUseId: string
  /** The sub-agent that asks. Absent for the agent itself. */
  agentId?: string
  /** The file in which its answer would appear. Absent if unknown. */
  transcriptPath?: string
  /** Ids of the other events that report it. */
  copies?: string[]
  /** Absent while it is open. */
  answer?: QuestionEnd
  /** Whether the journal has its answer. Absent for false. */
  isRecorded?: boolean
}

/** An answer to a single question. */
interface Reply {
  id: string
  at: number
  toolUseId: string
  /** Whether it names no question, and a question counts as answered by it. Absent for false. */
  isUsed?: boolean
}

/** What is known of the questions of a session and of their answers. Times are Unix ms; 0: never. */
export interface Questions {
  /** When everything asked before was last answered, or no longer mattered. */
  answeredAt: number
  /** The same for what sub-agents asked: they may wait for an answer while the turn ends. */
  agentsAnsweredAt: number
  questions: Question[]
  replies: Reply[]
}

/** How a question that was asked at `at` ended; undefined while it is open. */
export function endOf(
  session: Questions,
  { id, at }: { id: string; at: number },
): QuestionEnd | undefined {
  const asked = questionOf(session, id)
  if (asked) return asked.answer
  return session.answeredAt >= at ? { how: 'went-on', at: session.answeredAt } : undefined
}

/** Whether a question has been answered, or does not matter any more. */
export function isAnswered(session: Questions, asked: { id: string; at: number }): boolean {
  return endOf(session, asked) !== undefined
}

/** Ids of the events whose questions are known to be answered. */
export function answeredQuestions({ questions }: Questions): string[] {
  return questions.flatMap(({ id, copies = [], answer }) => (answer ? [id, ...copies] : []))
}

export function openQuestions({ questions }: Questions): Question[] {
  return questions.filter(({ answer }) => answer === undefined)
}

/** For how long of the time between two moments a person may have been waited for, in ms. */
export function waitBetween({ questions }: Questions, from: number, to: number): number {
  let [sum, until] = [0, from]
  for (const { at, agentId, answer } of [...questions].sort((one, other) => one.at - other.at)) {
    // The sub-agent still waits, and the turn did not wait for it.
    if (agentId && !answer) continue
    const [start, end] = [Math.max(at, until), Math.min(answer?.at ?? to, to)]
    if (end <= start) continue
    sum += end - start
    until = end
  }
  return sum
}

export function noteQuestion(session: Questions, asked: Question) {
  if (questionOf(session, asked.id)) return
  addLimited(session.questions, asked, MAX_ITEMS)
  settle(session)
}

/** Notes that an event reports a question that another one has reported. */
export function noteCopy(session: Questions, id: string, of: string) {
  const asked = questionOf(session, of)
  if (asked && !questionOf(session, id)) asked.copies = [...(asked.copies ?? []), id]
}

/** Notes an event that answers one question, or all of them. */
export function noteAnswer(
  session: Questions,
  { id, at, toolUseId }: Question,
  { isAnswerToAll, leavesAgents }: Pick<Meaning, 'isAnswerToAll' | 'leavesAgents'>,
  how: QuestionEnd['how'],
) {
  if (!isAnswerToAll) {
    addLimited(session.replies, { id, at, toolUseId }, MAX_ITEMS)
    return settle(session)
  }
  noteBefore(session, at, how, ({ agentId }) => !(agentId && leavesAgents))
  session.answeredAt = Math.max(session.answeredAt, at)
  if (!leavesAgents) session.agentsAnsweredAt = Math.max(session.agentsAnsweredAt, at)
}

/** Notes that a sub-agent has ended, which waits for no answer any more. */
export function noteAgentEnd(session: Questions, agent: string, at: number) {
  noteBefore(session, at, 'went-on', ({ agentId }) => agentId === agent)
}

/** Notes that the client asked another question: it asks one after the other. */
export function noteNextQuestion(session: Questions, at: number) {
  noteBefore(session, at - 1, 'went-on')
}

/** Notes the answer that the journal has of an event. It counts, whatever else is known. */
export function noteRecorded(session: Questions, id: string, answer: QuestionEnd) {
  const asked = questionOf(session, id)
  if (asked) Object.assign(asked, { answer, isRecorded: true })
  else {
    const unknown = { id, at: answer.at, toolUseId: '', answer, isRecorded: true }
    addLimited(session.questions, unknown, MAX_ITEMS)
  }
  settle(session)
}

function questionOf({ questions }: Questions, id: string): Question | undefined {
  return questions.find((one) => one.id === id || one.copies?.includes(id))
}

/** Notes that the questions up to a moment are over. */
function noteBefore(
  session: Questions,
  at: number,
  how: QuestionEnd['how'],
  isMeant: (one: Question) => boolean = () => true,
) {
  for (const one of openQuestions(session)) {
    if (one.at <= at && isMeant(one)) one.answer = { at, how }
  }
  settle(session)
}

/** Finds the answers to open questions among those that are noted: they may have come in any order. */
function settle(session: Questions) {
  const { answeredAt, agentsAnsweredAt, replies } = session
  for (const one of openQuestions(session)) {
    const reply = replies.find(({ toolUseId }) => toolUseId !== '' && toolUseId === one.toolUseId)
    const before = one.agentId ? agentsAnsweredAt : answeredAt
    if (reply) one.answer = answerBy(reply, one)
    else if (before >= one.at) one.answer = { at: before, how: 'went-on' }
  }
  settleByUnnamed(session)
}

/** Replies that name no question count only if there are at least as many as open questions: then all are answered. */
function settleByUnnamed(session: Questions) {
  const open = openQuestions(session)
  const since = Math.min(...open.map(({ at }) => at))
  const unnamed = session.replies.filter(
    ({ at, toolUseId, isUsed }) => toolUseId === '' && !isUsed && at >= since,
  )
  if (unnamed.length < open.length) return
  for (const [index, one] of open.entries()) {
    const reply = unnamed[index]
    if (!reply) return
    one.answer = answerBy(reply, one)
    reply.isUsed = true
  }
}

function answerBy(reply: Reply, asked: Question): QuestionEnd {
  return { at: Math.max(reply.at, asked.at), how: 'reply' }
}
