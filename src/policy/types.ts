import type { EnrichedEvent } from '../context/enrich.ts'
import type { Urgency } from '../delivery.ts'
import type { Kind } from '../event/event.ts'
import type { AcceptedEntry, JournalEntry } from '../journal/entry.ts'
import type { Mute } from './mutes.ts'
import type { NoiseSettings } from './noise.ts'
import type { Session } from './sessions.ts'

/** An event with what the front door noted about where it came from. */
export interface JudgedEvent extends EnrichedEvent {
  /** A hash of client, content and session; absent if the event cannot be told from others. */
  fingerprint?: string | undefined
  /** Whether it comes from the hooks of a project, which all who work on it share. */
  shared: boolean
  /** The client whose settings contain the hook, if another one ran it. */
  via?: string | undefined
}

/** A channel that a route chose for the event. */
export interface Candidate {
  channel: string
  urgency: Urgency
  /** The word in the route's `on` that matched: '*', a kind, or the name of an event. */
  on: string
  /** The template that the route names. */
  template?: string | undefined
  /** Whether the rules against noise apply to the channel. */
  hasNoiseRules: boolean
  /** It keeps a record and disturbs nobody. */
  isRecord: boolean
  /** Several events may become one message. */
  summarizes: boolean
  /** For a later step: how long after the event it is sent unless somebody has answered by then, in ms and in words. */
  later?: { ms: number; because: string }
}

/**
 * What is expected to follow the end of a turn that is held: another turn; or, if nothing does, a notice of the client
 * that it waits, which makes the end due at once.
 */
export type Expected = 'turn' | 'notice'

export type Verdict =
  | { type: 'send' }
  | { type: 'suppress'; reason: string }
  /**
   * `until`: Unix ms. Deliveries held for the same channel with the same `group` become one message. `expects`: held because
   * something is expected to follow, see `Expected`. `earliest`: when a later step may be sent if nobody was reached before,
   * Unix ms. `dueOtherwise`: if quiet hours hold it, when it would be due without them, Unix ms.
   */
  | {
      type: 'hold'
      until: number
      reason: string
      group: string
      expects?: Expected | undefined
      earliest?: number
      dueOtherwise?: number
    }

/** What every policy may use, besides its own state. */
export interface JudgeContext {
  noise: NoiseSettings
  /** The mutes in force. */
  mutes: readonly Mute[]
  /** What the event's own project file says; undefined if there is none. */
  project?: ProjectVerdict | undefined
  /** Unix ms. */
  now: number
  /** When the event would be sent, by the rules before this one: one of them may hold it into quiet hours. Unix ms. */
  dueAt: number
  /** The event's session as it was before; undefined if it has none, or if this is its first event. */
  session: Session | undefined
}

/** What a repository may say about its own events. */
export interface ProjectVerdict {
  root: string
  isMuted(kind: Kind): boolean
  /** The condition by which the project excludes the event, in words; undefined if there is none. */
  fails: string | undefined
}

/** A delivery that is held, and is due or may be now. */
export interface HeldEvent {
  id: string
  client: string
  sessionId: string
  /** When the event was accepted, Unix ms. */
  at: number
  kind: string
  channel: string
  cwd: string
  /** The name of its project as it was judged; '' if unknown. */
  project: string
  /** Whether the channel keeps a record and disturbs nobody. */
  isRecord: boolean
  /** Whether it is the end of a turn that asks something. */
  asks?: boolean | undefined
  /** When it is due, Unix ms. */
  until: number
  expects?: Expected | undefined
  /** Whether it is a later step of a route. */
  isStep: boolean
}

/**
 * One rule about what is worth sending, per channel. Pure: it sees the event, the channel, the context and its own
 * state, nothing else. Its state is a fold over the journal, so that it survives a restart.
 */
export interface Policy<State = unknown> {
  name: string
  /** Whether it is a rule against noise: a channel can opt out of it, and the configuration can switch it off. */
  isNoise: boolean
  /**
   * The state at the start of a worker. It must be bounded; its JSON is what is saved.
   * @param saved that JSON, of an earlier worker; undefined if there is none
   */
  restore(saved: unknown): State
  /**
   * The state after an entry of the journal. May change `state` in place. Must be idempotent: after a restart, entries
   * may come again. Absent: the policy remembers nothing.
   */
  fold?(state: State, entry: JournalEntry): State
  judge(event: JudgedEvent, candidate: Candidate, state: State, context: JudgeContext): Verdict
  /** Fields to add to the event's journal entry, so that `fold` finds them there. */
  note?(event: JudgedEvent, state: State, context: JudgeContext): Partial<AcceptedEntry>
  /** @returns why a held delivery is no longer worth sending; undefined if it is */
  review?(held: HeldEvent, state: State, context: JudgeContext): string | undefined
}

export function definePolicy<State>(policy: Policy<State>): Policy<State> {
  return policy
}

/** A policy without state of its own: it sees only the event's session. */
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

/** As long as clients wait that report by themselves that nobody answers. */
const ANSWER_MS = 60_000

/** Holds a question that a person is expected to see and to answer soon. */
export function holdForAnswer(reason: string, at: number, now: number): Verdict {
  // If the event waited for the worker, counted from now: the answer may be waiting too.
  const until = Math.max(at, now) + ANSWER_MS
  const why = `${reason}; its question is told if nobody answers in a minute`
  return { type: 'hold', until, reason: why, group: '', expects: 'notice' }
}
