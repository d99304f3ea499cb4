import type { CurrentConfig } from '../config/current.ts'
import type { Record } from '../journal/record.ts'
import type { Templates } from '../render/templates.ts'
import type { Claims } from '../spool/claim.ts'
import type { Spool } from '../spool/layout.ts'
import type { DeferredEvents } from './deferred.ts'
import type { EventState } from './event-state.ts'
import type { Lane } from './lane.ts'

/** What the stages of the worker share. */
export interface WorkerContext {
  spool: Spool
  claims: Claims
  config: CurrentConfig
  templates: Templates
  deferred: DeferredEvents
  lanes: Map<string, Lane>
  projects: Map<string, Promise<string>>
  /** What the journal says about events that a dead worker left behind. */
  recovered: Map<string, EventState>
  /** Files of a later version of hookbell: theirs to handle. */
  leftAlone: Set<string>
  record(entry: Record): Promise<void>
  fetch: typeof globalThis.fetch
  now(): number
  random(): number
}
