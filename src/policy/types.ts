import type { EnrichedEvent } from '../context/enrich.ts'
import type { Urgency } from '../delivery.ts'
import type { AcceptedEntry, JournalEntry } from '../journal/entry.ts'

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
}

export type Verdict =
  | { type: 'send' }
  | { type: 'suppress'; reason: string }
  /** `until`: Unix ms. */
  | { type: 'hold'; until: number; reason: string }

/**
 * One rule about what is worth telling, per channel. Pure: it sees the event, the channel and what it remembers,
 * nothing else. Its memory is a fold over the journal, so that it survives a restart.
 */
export interface Policy<State = unknown> {
  name: string
  /** What it remembers before anything happened. Plain JSON, bounded. */
  initial: State
  /** What it remembers after a decision. May change `state` in place. */
  fold(state: State, entry: JournalEntry): State
  judge(event: JudgedEvent, candidate: Candidate, state: State): Verdict
  /** What the journal keeps about the event, so that `fold` finds it again. */
  note?(event: JudgedEvent, state: State): Partial<AcceptedEntry>
}

export function definePolicy<State>(policy: Policy<State>): Policy<State> {
  return policy
}
