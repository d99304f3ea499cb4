import type { EnrichedEvent } from '../context/enrich.ts'
import type { Urgency } from '../delivery.ts'
import type { Kind } from '../event/kind.ts'
import type { AcceptedEntry, JournalEntry } from '../journal/entry.ts'
import type { Mute } from './mutes.ts'
import type { NoiseSettings } from './noise.ts'
import type { Session } from './sessions.ts'

/** An event with what the front door noted about where it came from. */
export interface JudgedEvent extends EnrichedEvent {
  /** Of client and content; absent where nobody can tell the event from others. */
  fingerprint?: string | undefined
  /** From the hooks of a project, which all who work on it share. */
  shared: boolean
}

/** A channel that a route chose for the event. */
export interface Candidate {
  channel: string
  urgency: Urgency
  /** The word of the route that matched: '*', a kind, or the name of an event. */
  on: string
  /** The template that the route names. */
  template?: string | undefined
  /** Whether the rules against noise count for the channel. */
  hasNoiseRules: boolean
  /** It keeps a record and disturbs nobody. */
  isRecord: boolean
  /** Told so many ms later, unless somebody has answered by then; and that in words. */
  later?: { ms: number; because: string }
}

export type Verdict =
  | { type: 'send' }
  | { type: 'suppress'; reason: string }
  /**
   * `until`: Unix ms. What is held for the same channel with the same `group` is told in one message. `earliest`: of a
   * later step, should nobody be reached before.
   */
  | { type: 'hold'; until: number; reason: string; group: string; earliest?: number }

/** What every policy may look at, besides what it remembers by itself. */
export interface JudgeContext {
  noise: NoiseSettings
  /** What a person has muted, read just now. */
  mutes: readonly Mute[]
  /** What the file of the event's own project says; undefined where it has none. */
  project?: ProjectSays | undefined
  /** Unix ms. */
  now: number
  /** What is known of the event's session before it; undefined where it has none, or where nothing came before. */
  session: Session | undefined
}

/** What a repository may say about its own events. */
export interface ProjectSays {
  root: string
  isMuted(kind: Kind): boolean
  /** The condition that does not hold, in words. */
  fails: string | undefined
}

/** A delivery that was held and is due now. */
export interface HeldEvent {
  id: string
  client: string
  sessionId: string
  /** When the event was accepted, Unix ms. */
  at: number
  kind: string
  channel: string
  cwd: string
}

/**
 * One rule about what is worth telling, per channel. Pure: it sees the event, the channel, the context and what it
 * remembers, nothing else. Its memory is a fold over the journal, so that it survives a restart.
 */
export interface Policy<State = unknown> {
  name: string
  /** Against noise: a channel can do without it, and the configuration can switch it off. */
  isNoise: boolean
  /**
   * What it remembers at its start. Bounded, and its JSON is what is kept.
   * @param saved that JSON, of an earlier worker; undefined where nothing happened yet
   */
  restore(saved: unknown): State
  /**
   * What it remembers after a decision. May change `state` in place. A restart may show it entries that it has seen:
   * that must change nothing. Absent: it remembers nothing.
   */
  fold?(state: State, entry: JournalEntry): State
  judge(event: JudgedEvent, candidate: Candidate, state: State, context: JudgeContext): Verdict
  /** What the journal keeps about the event, so that `fold` finds it again. */
  note?(event: JudgedEvent, state: State, context: JudgeContext): Partial<AcceptedEntry>
  /** Asked when a held delivery is due. @returns why it is not worth telling any more */
  review?(held: HeldEvent, state: State, context: JudgeContext): string | undefined
}

export function definePolicy<State>(policy: Policy<State>): Policy<State> {
  return policy
}

/** A policy that remembers nothing but what is known of the session. */
export function defineRule(
  rule: Omit<Policy<null>, 'restore' | 'fold' | 'judge' | 'note' | 'review'> & {
    judge(event: JudgedEvent, candidate: Candidate, context: JudgeContext): Verdict
    note?(event: JudgedEvent, context: JudgeContext): Partial<AcceptedEntry>
    review?(held: HeldEvent, context: JudgeContext): string | undefined
  },
): Policy<null> {
  const { judge, note, review, ...rest } = rule
  return {
    ...rest,
    restore: () => null,
    judge: (event, candidate, _, context) => judge(event, candidate, context),
    ...(note && { note: (event, _, context) => note(event, context) }),
    ...(review && { review: (held, _, context) => review(held, context) }),
  }
}

export const send = { type: 'send' } as const

export function suppress(reason: string): Verdict {
  return { type: 'suppress', reason }
}
