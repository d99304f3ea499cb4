import type { CanonicalEvent } from '../clients/vocabulary.ts'
import type { Kind } from './kind.ts'

/** What a person is asked: for leave to use a tool, or something in words. */
export interface Question {
  about: 'command' | 'file' | 'url' | 'tool' | 'question' | 'plan'
  /** The client's name of the tool; '' where unknown. */
  tool: string
  /** The command, path, address, question or plan itself; '' where the client does not say. */
  subject: string
  /** What the agent says it is for. */
  detail: string
  /** The answers offered, in their order. */
  choices: readonly string[]
  from: 'payload' | 'transcript'
}

/** Why a turn failed. */
export interface Failure {
  /** The client's own word or sentence for it. */
  reason: string
  /** Whether a limit of use was reached, rather than something broken. */
  isLimit: boolean
  /** When that limit is over, Unix ms, if the text says so. */
  resetsAt: number | undefined
}

/** One hook event, understood: the same shape for every client. Absent text is ''. */
export interface AgentEvent {
  id: string
  /** When it was accepted, Unix ms. */
  at: number
  /** The client that the front door was told, or the one that the payload shows. */
  client: string
  /** The client's own name of the event. */
  name: string
  /** What happened, whichever client tells of it; '' for an event that no client's data knows. */
  means: CanonicalEvent | ''
  kind: Kind
  sessionId: string
  /** The session that started this one as a sub-agent. */
  parentSessionId: string
  cwd: string
  transcriptPath: string
  /** What the agent says or asks, from the payload. */
  message: string
  lastMessage: string
  /** What the person had asked for. */
  prompt: string
  notificationType: string
  reason: string
  tool: string
  /** The call of that tool. */
  toolUseId: string
  /** Name of the sub-agent or task. */
  agent: string
  /** Its id. */
  agentId: string
  /** The turn, or the prompt that began it: equal in all events of one turn where the client has it. */
  turnId: string
  promptId: string
  permissionMode: string
  model: string
  /** How many tasks the agent left running behind a finished turn. */
  backgroundTasks: number
  durationMs: number | undefined
  /** What the person is asked. Only for an event that asks. */
  question: Question | undefined
  /** Only for a failed turn. */
  failure: Failure | undefined
  /** Whether nobody sits before the session; undefined where the client does not show it. */
  isHeadless: boolean | undefined
  /** Facts of the agent's session that the front door kept. */
  env: Readonly<Record<string, string>>
  /** What was wrong with the payload, for the journal. */
  problems: readonly string[]
}
