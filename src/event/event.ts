import type { Kind } from './kind.ts'

/** One hook event, understood: the same shape for every client. Absent text is ''. */
export interface AgentEvent {
  id: string
  /** When it was accepted, Unix ms. */
  at: number
  client: string
  /** The client's own name of the event. */
  name: string
  kind: Kind
  sessionId: string
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
  /** Name of the sub-agent or task. */
  agent: string
  /** How many tasks the agent left running behind a finished turn. */
  backgroundTasks: number
  durationMs: number | undefined
  /** Facts of the agent's session that the front door kept. */
  env: Readonly<Record<string, string>>
  /** What was wrong with the payload, for the journal. */
  problems: readonly string[]
}
