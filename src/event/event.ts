import type { CanonicalEvent } from '../clients/vocabulary.ts'
import type { Kind } from './kind.ts'

/** What a person is asked: for permission to use a tool, or a question in words. */
export interface Question {
  about: 'command' | 'file' | 'url' | 'tool' | 'question' | 'plan'
  /** The client's name of the tool; '' where unknown. */
  tool: string
  /** The command, path, URL, question or plan itself; '' where the client does not say. */
  subject: string
  /** The agent's explanation of what it is for. */
  detail: string
  /** The answers offered, in order, each with its description; of several questions those of the last. */
  choices: readonly string[]
  /** Whether several of them can be chosen. Absent for false. */
  isMultiple?: boolean
  /** How many questions it asks. Absent for one. */
  count?: number
  /** What would change in the file, as lines that begin with `-` or `+`. Absent if that is not known. */
  change?: string
  from: 'payload' | 'transcript'
}

/** Why a turn failed. */
export interface Failure {
  /** The client's own words. */
  reason: string
  /** The same for failures that have one cause, such as an outage; '' if nothing is known of it. */
  cause: string
  /** Whether a usage limit was reached, as opposed to an error. */
  isLimit: boolean
  /** When that limit is over, Unix ms, if the text says so. */
  resetsAt: number | undefined
}

/** One parsed hook event, in the same form for every client. Absent text is ''. */
export interface AgentEvent {
  id: string
  /** When it was accepted, Unix ms. */
  at: number
  /** The client that the hook command named, or the one that the payload shows. */
  client: string
  /** The client's own name of the event. */
  name: string
  /** What happened, in names that all clients share; '' for an event that no client's data describes. */
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
  /** The prompt of the turn. */
  prompt: string
  notificationType: string
  reason: string
  tool: string
  /** The id of the call of that tool. */
  toolUseId: string
  /** Name of the sub-agent or task. */
  agent: string
  /** The id of the sub-agent in whose turn it happened; '' for the agent itself. */
  agentId: string
  /** The id of the turn: equal in all events of one turn, if the client has one. */
  turnId: string
  permissionMode: string
  model: string
  /** How many tasks still run in the background after the turn. */
  backgroundTasks: number
  /** How many of them are agents, whose end continues the session. Absent for none. */
  backgroundAgents?: number
  /** How many of these are teammates, which are listed as long as the session lives. Absent for none. */
  backgroundTeammates?: number
  /** When the client goes on by itself, as the agent has scheduled, Unix ms. Absent if it does not, or only later. */
  wakesAt?: number
  durationMs: number | undefined
  /** What the person is asked. Only for an event that asks something. */
  question: Question | undefined
  /** Only for a failed turn. */
  failure: Failure | undefined
  /** The program around the client in which the session runs, such as an editor. Absent in a terminal, or if not known. */
  surface?: string
  /** Whether the session runs without a person; undefined where the client does not show it. */
  isHeadless: boolean | undefined
  /** Facts of the agent's session that the front door kept. */
  env: Readonly<Record<string, string>>
  /** What was wrong with the payload, for the journal. */
  problems: readonly string[]
}
