import type { CurrentConfig } from '../config/current.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { Templates } from '../render/templates.ts'
import type { Claims } from '../spool/claim.ts'
import type { Spool } from '../spool/layout.ts'
import type { DeferredEvents } from './deferred.ts'
import type { Doubles } from './doubles.ts'
import type { EventState } from './event-state.ts'
import type { Lane } from './lane.ts'
import type { Turns } from './turns.ts'

/** What the stages of the worker share. */
export interface WorkerContext {
  spool: Spool
  claims: Claims
  config: CurrentConfig
  templates: Templates
  deferred: DeferredEvents
  lanes: Map<string, Lane>
  turns: Turns
  doubles: Doubles
  projects: Map<string, Promise<string>>
  /** How far events have come that are under way, or that a worker left behind. */
  known: Map<string, EventState>
  /** Files in new/ that are not to be handled: of a later version of hookbell, or immovable. */
  leftAlone: Set<string>
  /** Takes secrets and control characters out of whatever goes to the journal. */
  record(entry: JournalEntry): Promise<void>
  /** Writes what an earlier `record` could not. */
  flushRecords(): Promise<void>
  fetch: typeof globalThis.fetch
  now(): number
  /** Milliseconds of a clock that is never put back. */
  laneClock(): number
  random(): number
}
