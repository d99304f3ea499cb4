import { findClient } from '../clients/index.ts'
import type { AgentEvent, Question } from '../event/event.ts'
import { failureOf } from '../event/failure.ts'
import { meaningOf } from '../event/meaning.ts'
import {
  isAskTool,
  isDialog,
  questionInWords,
  questionOfTool,
  withSubject,
} from '../event/question.ts'
import type { TranscriptFacts } from './transcript.ts'
import type { ToolCall } from './turn.ts'

/** Adds what the transcript shows of the turn: what was asked and answered, and how the turn ended. */
export function withTurn(event: AgentEvent, facts: TranscriptFacts): AgentEvent {
  const known = {
    ...event,
    prompt: event.prompt || facts.prompt,
    model: event.model || facts.model,
    isHeadless: event.isHeadless ?? facts.isHeadless,
  }
  switch (event.kind) {
    case 'permission':
      return facts.isDecidedByClient && isDecidable(event)
        ? { ...known, kind: 'other', means: 'PreToolUse' }
        : withQuestion(known, facts)
    // The agent's last message says what it waits for, unless the notice itself does.
    case 'waiting':
      return meaningOf(event).isIdle ? { ...known, lastMessage: lastAnswer(event, facts) } : known
    case 'failed':
      return withError(known, facts)
    case 'abnormal-end':
      // The session of a sub-agent reports to the one that called it.
      return facts.isSubagent ? { ...known, kind: 'ended' } : withReason(known, facts)
    case 'done':
      return withOutcome(known, facts)
    case 'subagent-done':
      return isEndOfWork(event, facts) ? asTurnEnd(known, facts) : known
    default:
      return known
  }
}

/** droid and Gemini CLI end any turn in the same way; only the transcript shows how it ended. */
function withOutcome(event: AgentEvent, facts: TranscriptFacts): AgentEvent {
  const { isSubagent, outcome, outcomeReason, promptedAt } = facts
  const lastMessage = lastAnswer(event, facts)
  if (isOfAgent(event, facts)) return { ...event, kind: 'subagent-done', means: 'SubagentStop' }
  if (isSubagent) return { ...event, kind: 'subagent-done', means: 'SubagentStop', lastMessage }
  if (outcome === 'interrupted') return { ...event, kind: 'other', means: 'Interrupt' }
  const durationMs = event.durationMs ?? durationSince(promptedAt, event.at)
  const ended = { ...event, lastMessage, durationMs }
  if (outcome !== 'failed') {
    return { ...ended, means: meansOf(event, facts), ...tasksOf(event, facts) }
  }
  const failure = failureOf({ error_details: outcomeReason || 'the turn failed' }, event.at, '')
  const message = event.message || failure.reason
  return { ...ended, kind: 'failed', means: 'StopFailure', message, failure }
}

/** Whether it was not the session's turn that ended: that one waits for a tool, or was over before. */
function isOfAgent(event: AgentEvent, facts: TranscriptFacts): boolean {
  const { outcomeAt = event.at } = facts
  const isReported = findClient(event.client)?.endsForAgents === true
  return isReported && (waitsForAgent(event, facts) || outcomeAt < event.at)
}

/** Whether the turn of the session waits for a tool, such as one that runs a sub-agent. */
function waitsForAgent({ client }: AgentEvent, { openCalls }: TranscriptFacts): boolean {
  return findClient(client)?.endsForAgents === true && openCalls.length > 0
}

/** Whether the agent goes on at once: a hook made it do so, or a prompt was waiting. */
function meansOf({ means }: AgentEvent, { isRefused, isFollowed }: TranscriptFacts) {
  if (isRefused) return 'StopRefused'
  return isFollowed ? 'StopQueued' : means
}

/** What runs in the background, if only the transcript shows that. */
function tasksOf({ backgroundTasks }: AgentEvent, { runningAgents }: TranscriptFacts) {
  const { length: agents } = runningAgents
  return backgroundTasks === 0 && agents > 0
    ? { backgroundTasks: agents, backgroundAgents: agents }
    : {}
}

/** Whether the sub-agent that is over was the last one, and the turn of the session was over before. */
function isEndOfWork({ client, agentId, at }: AgentEvent, facts: TranscriptFacts): boolean {
  const { runningAgents, outcome, outcomeAt = at } = facts
  const [only, ...others] = runningAgents
  const isLast = only === agentId && agentId !== '' && others.length === 0
  const isAlone = findClient(client)?.agentsOutliveTurn === true
  return isAlone && isLast && outcome === 'completed' && outcomeAt < at
}

/** The turn has reported its own end already, with its id. */
function asTurnEnd(event: AgentEvent, { promptedAt }: TranscriptFacts): AgentEvent {
  const durationMs = durationSince(promptedAt, event.at)
  return { ...event, kind: 'done', means: 'Stop', turnId: '', durationMs }
}

/** The longest time between the hook for an error and the line about a turn that ended with it. Measured: 40 ms. */
const ERROR_MS = 1000

/** Whether the client goes on after an error, as far as its transcript shows. */
export function isTriedAgain({ client, at }: AgentEvent, facts: TranscriptFacts): boolean {
  if (!findClient(client)?.retriesErrors || !facts.isReadable) return false
  const { outcome, outcomeAt = at } = facts
  return outcome !== 'failed' || Math.abs(outcomeAt - at) > ERROR_MS
}

function withError(event: AgentEvent, facts: TranscriptFacts): AgentEvent {
  if (isTriedAgain(event, facts)) return { ...event, kind: 'other', means: '', failure: undefined }
  if (facts.isSubagent || waitsForAgent(event, facts))
    return { ...event, kind: 'subagent-done', means: 'SubagentStop' }
  const { failure: given, at } = event
  const { outcome, outcomeAt = at, promptedAt } = facts
  // Without a turn that runs, the client means a request of its own.
  const isOver = outcome === 'completed' && outcomeAt <= at
  const failed = { ...event, durationMs: isOver ? undefined : durationSince(promptedAt, at) }
  if (!given || outcome !== 'failed' || !facts.outcomeReason) return failed
  const shown = failureOf({ error_details: facts.outcomeReason }, at, '')
  const isLimit = given.isLimit || shown.isLimit
  const cause = isLimit ? 'limit' : shown.cause
  const failure = { ...shown, isLimit, cause, resetsAt: given.resetsAt ?? shown.resetsAt }
  return { ...failed, message: shown.reason, failure }
}

/** The event at the end of a run that breaks off does not name the error that ended its last turn. */
function withReason(event: AgentEvent, { outcome, outcomeReason }: TranscriptFacts): AgentEvent {
  if (outcome !== 'failed' || event.message) return event
  return { ...event, message: failureOf({ error_details: outcomeReason }, event.at, '').reason }
}

function lastAnswer({ client, lastMessage: given }: AgentEvent, facts: TranscriptFacts): string {
  if (!findClient(client)?.joinsAnswers) return facts.plan || given || facts.lastMessage
  // The transcript of a failed turn ends with the answer of an earlier one.
  return given.trimEnd().endsWith(facts.lastMessage) && facts.lastMessage !== ''
    ? facts.lastMessage
    : given
}

/** A question in words is for a person, and so may be one of an MCP server. */
function isDecidable({ means, question, tool }: AgentEvent): boolean {
  const isInWords = question?.about === 'question' || question?.about === 'plan'
  return means === 'PermissionRequest' && !isInWords && !tool.startsWith('mcp__')
}

/** Nothing is added if several open calls may be meant: a person could allow one because of what another does. */
function withQuestion(event: AgentEvent, { openCalls }: TranscriptFacts): AgentEvent {
  const { question: asked, tool, message } = event
  const calls = openCalls.filter((call) => mayBeAskedBy(event, call))
  const [call, ...others] = calls
  if (others.length > 0 && countOf(event) === calls.length) return withQuestions(event, calls)
  if (!call || others.length > 0) {
    return isDialog(event) ? { ...event, question: questionInWords(message) } : event
  }
  const question = asked ?? questionOfTool(call.name, call.input, 'transcript')
  if (!question) return event
  return {
    ...event,
    question,
    tool: tool || call.name,
    toolUseId: call.id,
    message: asked ? message : messageWith(question, event),
  }
}

/** How many calls the event asks for, if it says so. */
function countOf({ client, message }: AgentEvent): number {
  return Number(findClient(client)?.countsCalls?.exec(message)?.[1])
}

/** One question for all calls, which are allowed or refused together. */
function withQuestions(event: AgentEvent, calls: readonly ToolCall[]): AgentEvent {
  const subjects = calls.map(({ name, input }) => {
    const subject = questionOfTool(name, input, 'transcript')?.subject
    return subject ? `${name}: ${subject}` : name
  })
  const asked = {
    ...questionInWords(subjects.join('\n')),
    about: 'tool',
    from: 'transcript',
  } as const
  return { ...event, question: asked, message: withSubject(event.message, asked.subject) }
}

function messageWith({ subject }: Question, event: AgentEvent): string {
  return isDialog(event) ? subject : withSubject(event.message, subject)
}

/** Whether a client may mean this call: the payload may have its id, its input, or its tool. */
function mayBeAskedBy(event: AgentEvent, call: ToolCall): boolean {
  const { question, tool, toolUseId } = event
  if (isDialog(event) && !isAskTool(call.name)) return false
  if (!isDialog(event) && findClient(event.client)?.asksInDialogs && isInWords(call)) return false
  if (toolUseId) return call.id === toolUseId
  // The name of the tool may differ: codex calls `exec_command` `Bash` in a payload.
  if (question?.subject) {
    return question.subject === questionOfTool(call.name, call.input, 'transcript')?.subject
  }
  return !tool || call.name === tool
}

function isInWords({ name, input }: ToolCall): boolean {
  return isAskTool(name) && questionOfTool(name, input, 'transcript')?.about === 'question'
}

function durationSince(promptedAt: number | undefined, at: number): number | undefined {
  return promptedAt !== undefined && promptedAt <= at ? at - promptedAt : undefined
}
