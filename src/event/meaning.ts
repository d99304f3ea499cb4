import { findClient } from '../clients/index.ts'
import type { Repeat } from '../clients/payload-facts.ts'
import type { CanonicalEvent } from '../clients/vocabulary.ts'
import type { AgentEvent } from './event.ts'

type Facts = Pick<
  AgentEvent,
  | 'client'
  | 'name'
  | 'means'
  | 'notificationType'
  | 'sessionId'
  | 'at'
  | 'reason'
  | 'tool'
  | 'turnId'
> &
  Pick<AgentEvent, 'backgroundAgents'> &
  Partial<Pick<AgentEvent, 'toolUseId'>>

/** What an event means for its session, besides its kind. */
export interface Meaning {
  isSessionStart: boolean
  /** A person wrote a prompt. */
  isPrompt: boolean
  /** A turn begins that may fail without an event: only the transcript shows that. */
  mayFailUnheard: boolean
  /** The client began a turn by itself. */
  isOwnTurn: boolean
  /** The turn succeeded, failed, or was stopped by a person. */
  isTurnEnd: boolean
  isInterrupt: boolean
  /** For a notice that the agent waits: it does not say for what, only that nothing happened for a while. */
  isIdle: boolean
  isSessionEnd: boolean
  /** The reason means nothing, because the client gives it for every end of a session. */
  isOrdinaryEnd: boolean
  /** An open question of the session has been answered, or does not matter any more. */
  isAnswer: boolean
  /** An answer that settles all open questions of the session, not a single one. */
  isAnswerToAll: boolean
  /** Sub-agents go on after it, or may, so that it answers none of their questions. */
  leavesAgents: boolean
  /** The event is from a sub-agent, whose session may have its own id. */
  isSubagent: boolean
  /** Internal to the client: never announced. */
  isInternal: boolean
}

/** Older versions of clients send the notice without a type. */
const IDLE = /^((agent_)?idle|$)/i

const turnEnds: readonly string[] = [
  'Stop',
  'StopQueued',
  'StopFailure',
  'Interrupt',
] satisfies CanonicalEvent[]
const answersToAll: readonly string[] = ['UserPromptSubmit', 'SessionEnd', ...turnEnds]
const answers: readonly string[] = ['PermissionReplied', ...answersToAll]

export function meaningOf(event: Facts): Meaning {
  const { means, name, notificationType, backgroundAgents = 0 } = event
  const client = findClient(event.client)
  const { answeredBy = [], ordinaryEnds = [], hidesAgents } = client ?? {}
  return {
    isSessionStart: means === 'SessionStart',
    isPrompt: means === 'UserPromptSubmit',
    mayFailUnheard: means === 'UserPromptSubmit' && client?.hidesFailures === true,
    isOwnTurn: means === 'TurnStart',
    isTurnEnd: turnEnds.includes(means),
    isInterrupt: means === 'Interrupt',
    isIdle: IDLE.test(notificationType),
    isSessionEnd: means === 'SessionEnd',
    isOrdinaryEnd: means === 'SessionEnd' && ordinaryEnds.includes(event.reason),
    isAnswer:
      answers.includes(means) ||
      [means, name, notificationType].some((one) => one !== '' && answeredBy.includes(one)),
    isAnswerToAll: answersToAll.includes(means),
    leavesAgents: turnEnds.includes(means) && (hidesAgents === true || backgroundAgents > 0),
    isSubagent: means === 'SubagentStart' || means === 'SubagentStop',
    isInternal: means === 'Internal',
  }
}

/** Whether it is a question that the client asks only once all earlier ones of the session are answered. */
export function isNextQuestion({ client, kind }: { client: string; kind: string }): boolean {
  return kind === 'permission' && findClient(client)?.asksInTurn === true
}

/** Later than this, a question is told again as a reminder: it waited behind another one. */
const SAME_CALL_MS = 15_000

/** Whether `again` reports the same thing as `first`, according to the data of their client or by its call of a tool. */
export function isRepeat(first: Facts, again: Facts): boolean {
  if (first.client !== again.client) return false
  const isOfOther = first.sessionId !== again.sessionId
  const rules = findClient(again.client)?.repeats ?? []
  return (
    rules.some((rule) => (rule.inOther === true) === isOfOther && covers(rule, first, again)) ||
    (!isOfOther && asksTheSame(first, again))
  )
}

/** Whether an event may be the first of two that report the same thing, in its own session or in another one. */
export function mayRepeat({ client, means }: { client: string; means: string }, inOther = false) {
  const rules = findClient(client)?.repeats ?? []
  return rules.some(
    (rule) => (rule.inOther === true) === inOther && rule.after === reportedAs(means),
  )
}

/** One call of a tool is one question, whatever events announce it. */
function asksTheSame(first: Facts, again: Facts): boolean {
  const apart = again.at - first.at
  const isSoon = apart >= 0 && apart <= SAME_CALL_MS
  return isSoon && isQuestion(first) && isQuestion(again) && isSameCall(first, again)
}

/** A second event may leave out the call, but has the tool: Claude Code's request after the call that asks. */
function isSameCall(first: Facts, again: Facts): boolean {
  if (!first.toolUseId) return false
  if (again.toolUseId) return first.toolUseId === again.toolUseId
  const isOther = again.means === 'PermissionRequest' && first.name !== again.name
  return isOther && again.tool !== '' && first.tool === again.tool
}

function isQuestion({ means }: Facts): boolean {
  return means === 'PermissionRequest' || means === 'Notification'
}

function covers(rule: Repeat, first: Facts, again: Facts): boolean {
  const { after, again: what, notificationType, withinMs, same } = rule
  if (reportedAs(first.means) !== after || reportedAs(again.means) !== what) return false
  if (notificationType !== undefined && notificationType !== again.notificationType) return false
  const apart = again.at - first.at
  // A field that is missing in both events does not count as equal.
  const isSame = same.every((field) => first[field] !== '' && first[field] === again[field])
  return apart >= 0 && apart <= withinMs && isSame
}

/** What the client reported: only its transcript shows that a prompt was waiting. */
export function reportedAs(means: string): string {
  return means === 'StopQueued' ? 'Stop' : means
}
