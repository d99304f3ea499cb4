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
