/**
 * The events of a session, in names that all clients share. They are Claude Code's names where it has one, since most
 * clients adopted those.
 */
export const canonicalEvents = [
  'SessionStart',
  /** A person wrote a prompt. */
  'UserPromptSubmit',
  /** The client began a turn by itself, such as when a background task was over. */
  'TurnStart',
  'PreToolUse',
  'PostToolUse',
  /** The agent is blocked until a person allows or refuses something. */
  'PermissionRequest',
  /** A PermissionRequest was answered. */
  'PermissionReplied',
  'Notification',
  /** The turn is over. */
  'Stop',
  /** The turn would be over, but a hook made the agent go on. */
  'StopRefused',
  /** The turn is over, and a prompt that was waiting began the next one. */
  'StopQueued',
  /** The turn failed. */
  'StopFailure',
  /** A person stopped the turn. */
  'Interrupt',
  'SubagentStart',
  'SubagentStop',
  'SessionEnd',
  /** Internal work of the client, such as making a title. */
  'Internal',
] as const

export type CanonicalEvent = (typeof canonicalEvents)[number]

/** What a type of Notification can mean. */
export type NoticeMeaning = 'permission' | 'waiting' | 'subagent-done' | 'other'
