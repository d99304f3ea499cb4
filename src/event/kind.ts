import type { NoticeMeaning } from '../clients/vocabulary.ts'

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
