import type { CanonicalEvent } from './vocabulary.ts'

/** A test of one field of the payload: its exact text, a pattern, or whether it has a value at all. */
export type FieldTest = string | RegExp | boolean

/** Conditions that must all hold, by the client's own names of the fields. */
export type Where = Readonly<Record<string, FieldTest>>

/** An event that does not mean what its name says, recognised by its fields. */
export interface Variant {
  event: string
  where: Where
  means: CanonicalEvent
}

/** A program around the client, such as an editor, in which it reports less than in a terminal. */
export interface Surface {
  /** As in "Claude Code in VS Code". */
  title: string
  /** The variables of its sessions. */
  env: Where
  /** What is missing there, for `doctor`. */
  unreported: string
}

/**
 * Two events that report the same thing: an event that matches `again` is a repeat of an earlier `after` of the same
 * session, if it comes within the time.
 */
export interface Repeat {
  after: CanonicalEvent
  again: CanonicalEvent
  /** Applies only to Notifications of this type. */
  notificationType?: string
  withinMs: number
  /** Fields that must be equal in both. */
  same: readonly ('reason' | 'tool' | 'turnId')[]
  /** The first one is of another session, such as that of a member of a team. */
  inOther?: true
}

/** Shows whether a session runs without a person. The first mark that is present decides. */
export interface HeadlessMark {
  /** An environment variable that the front door keeps, or a field of the payload. */
  from: 'env' | 'payload'
  name: string
  value: FieldTest
  isHeadless: boolean
}
