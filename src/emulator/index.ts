export { type OwnChoice, ownChoices } from './choices.ts'
export type { Clock } from './clock.ts'
export { EmulatorError } from './errors.ts'
export {
  Fault,
  FaultFile,
  type FaultInput,
  type Faults,
  loadFaults,
  parseFaults,
} from './faults.ts'
export type { RecordedRequest } from './journal.ts'
export type { EndpointRequest, OwnHandler, OwnReply } from './own-handlers.ts'
export type { Samples } from './samples.ts'
export { type Emulator, type EmulatorOptions, startEmulator } from './start.ts'
export { loadSeed, parseSeed, Seed, type SeedInput } from './state/seed.ts'
export type { StateView } from './state/state.ts'
