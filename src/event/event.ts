import type { CanonicalEvent, NoticeMeaning } from '../clients/vocabulary.ts'

/** What an event means to a person. */
export const kinds = [
  'permission',
  'waiting',
  'done',
  'subagent-done',
  'ended',
  'abnormal-end',
  'failed',
  'other',
] as const

export type Kind = (typeof kinds)[number]

const urgent: readonly string[] = ['permission', 'failed', 'abnormal-end'] satisfies Kind[]

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

/** Whether somebody is needed, or something broke. */
export function isUrgent(kind: string): boolean {
  return urgent.includes(kind)
}

/** What a reason calls an event: the client's own name if its kind is `other`, which says nothing to a reader. */
export function kindOrName(kind: string, name: string): string {
  return kind === ('other' satisfies Kind) ? name : kind
}

/** Types of Notification that block the agent until a person answers. */
const BLOCKING = /^(permission|toolpermission|elicitation_dialog|elicitation$)/i

/** Includes types that a later version may have, by the words in their names: in doubt a person is notified. */
const WAITING =
  /^(idle|agent_idle)|(^|_)(permission|approval|confirm|confirmation|question|prompt|dialog|input|attention)(_|$)/i

/** How clients word a question, for a notice without a type. The last two: droid 0.225.2. */
const ASKING = /\bneeds your permission\b|\bneeds permission to\b|\bis asking the user\b/i

interface Clues {
  name: string
  notificationType: string
  message: string
  reason: string
  /** What this type of Notification means, if the client's data says so. */
  notice?: NoticeMeaning | undefined
}

export function kindOf(clues: Clues, abnormalReasons: readonly string[]): Kind {
  switch (clues.name) {
    case 'Notification':
      return notificationKind(clues)
    case 'PermissionRequest':
      return 'permission'
    case 'Stop':
      return 'done'
    case 'SubagentStop':
      return 'subagent-done'
    case 'SessionEnd':
      return isAmong(clues.reason, abnormalReasons) ? 'abnormal-end' : 'ended'
    case 'StopFailure':
      return 'failed'
    default:
      return 'other'
  }
}

function isAmong(reason: string, reasons: readonly string[]): boolean {
  return reasons.some((one) => one.toLowerCase() === reason.trim().toLowerCase())
}

/** Without a type only the wording tells. An unknown wording still means that the agent wants attention. */
function notificationKind({ notificationType, message, notice }: Clues): Kind {
  if (notice) return notice
  if (BLOCKING.test(notificationType)) return 'permission'
  if (WAITING.test(notificationType)) return 'waiting'
  if (notificationType) return 'other'
  return ASKING.test(message) ? 'permission' : 'waiting'
}
