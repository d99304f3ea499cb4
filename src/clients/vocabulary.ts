/**
 * What can happen in a session, whichever client tells of it. The names are Claude Code's where it has one, since most
 * clients took them over.
 */
export const canonicalEvents = [
  'SessionStart',
  /** A person wrote a prompt. */
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  /** The agent stands still until a person allows something. */
  'PermissionRequest',
  /** An answer was given to that. */
  'PermissionReplied',
  'Notification',
  /** The turn is over. */
  'Stop',
  /** The turn ended by a failure. */
  'StopFailure',
  /** A person stopped the turn. */
  'Interrupt',
  'SubagentStart',
  'SubagentStop',
  'SessionEnd',
  /** The client's own business, such as making a title. */
  'Internal',
] as const

export type CanonicalEvent = (typeof canonicalEvents)[number]

/** What a type of Notification can mean. */
export type NoticeMeaning = 'permission' | 'waiting' | 'subagent-done' | 'other'
