// The public names. What is not listed here is not public.
export { loadConfig } from './config/load/load.ts'
export { configDir, stateDir } from './config/paths.ts'
export type { Config } from './config/schema/schema.ts'
export { HookbellError } from './errors.ts'
export type { AgentEvent } from './event/event.ts'
export { type Kind, kinds } from './event/event.ts'
export { parseEvent } from './event/parse.ts'
export { type Handled, type HandledEvent, type HandleOptions, handle } from './handle.ts'
export type { JournalEntry } from './journal/entry.ts'
export { readJournal } from './journal/read.ts'
export {
  DeliveryError,
  defineNotifier,
  type Message,
  type Notifier,
  type SendContext,
} from './notifiers/define.ts'
export { notifiers } from './notifiers/index.ts'
export type { Judged, JudgedPayload, JudgeOptions } from './simulate/judge.ts'
export { policyConfig } from './simulate/judge.ts'
export type { Ping } from './simulate/replay.ts'
export {
  type BeforeAfter,
  type Change,
  type SimulateOptions,
  type Simulation,
  type Source,
  simulate,
} from './simulate/simulate.ts'
export { acceptEvent } from './spool/event-file.ts'
export {
  enrich,
  type JudgedEvent,
  judge,
  parse,
  type Rendered,
  type RoutedEvent,
  type Rules,
  type RulesOptions,
  readRules,
  render,
  route,
  type Source as EventSource,
  send,
  type Verdict,
} from './stages.ts'
export type { WorkerOptions } from './worker/open-worker.ts'
export { deliverOnce, runUntilIdle } from './worker/run.ts'
