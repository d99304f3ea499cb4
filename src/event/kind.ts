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

/** The agent stands still until a person answers. */
const BLOCKING = /^(permission|toolpermission|elicitation_dialog|elicitation$)/i
const WAITING = /^(idle|agent_idle|agent_needs_input)/i

interface Clues {
  name: string
  notificationType: string
  message: string
  reason: string
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
      return abnormalReasons.includes(clues.reason) ? 'abnormal-end' : 'ended'
    case 'StopFailure':
    case 'errorOccurred':
      return 'failed'
    default:
      return 'other'
  }
}

/** Without a type only the two known wordings tell. An unknown one still means: the agent wants attention. */
function notificationKind({ notificationType, message }: Clues): Kind {
  if (BLOCKING.test(notificationType)) return 'permission'
  if (WAITING.test(notificationType)) return 'waiting'
  if (notificationType) return 'other'
  return /needs your permission/i.test(message) ? 'permission' : 'waiting'
}
