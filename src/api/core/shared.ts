import type { Drift } from '../errors.ts'
import type { Transport } from '../transport.ts'
import type { CallReport, ClientOptions } from './options.ts'
import type { Pauses } from './pauses.ts'
import type { RetryBudget } from './retry.ts'
import type { Settings } from './settings.ts'

/** What all calls of a client share. */
export interface Shared {
  options: ClientOptions
  /** Throws a `ConfigError` if the client is not set up. */
  settings(): Settings
  transport: Transport
  pauses: Pauses
  budget: RetryBudget
  reportDrift(drift: Drift): void
  reportAttempt: ((report: CallReport) => void) | undefined
  /** Alternate paths that worked where the usual ones were not found, by endpoint `id`. */
  workingPaths: Map<string, string>
}
