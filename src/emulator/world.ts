import type { Endpoint, Output } from '../api/endpoints/endpoint.ts'
import type { Clock } from './clock.ts'
import type { makeFaults } from './faults.ts'
import type { Journal } from './journal.ts'
import type { OwnHandlers } from './own-handlers.ts'
import type { Reply } from './reply.ts'
import type { Router } from './router.ts'
import type { Seed, SeedInput } from './state/seed.ts'
import type { Key, Role, State } from './state/state.ts'

/** What every part of the emulator works on. */
export interface World {
  /** Replaced as a whole by a reset to another one. */
  seed: Seed
  readonly clock: Clock
  /** Replaced as a whole by a reset. */
  state: State
}

/** The authenticated caller. */
export interface Caller {
  key: Key
  role: Role
}

/** What a handler gets besides its input. `now` is the same for the whole request. */
export interface Context {
  world: World
  state: State
  caller: Caller
  now: number
}

type Part<E, Name extends string> = E extends { readonly [K in Name]: infer Schema }
  ? Schema extends { _zod: { output: infer Value } }
    ? Value
    : unknown
  : unknown

/** Checked path, query and body values as one object: each name belongs to one of the three. */
export type CheckedInput<E> = Part<E, 'params'> & Part<E, 'query'> & Part<E, 'body'>

/** A response as the table declares it, without the names that only the client library adds. */
type Answer<E extends Endpoint> = Reply & { body?: Output<E> | Record<string, never> }

/** An endpoint with its implementation in the emulator. */
export interface Handler {
  readonly endpoint: Endpoint
  run(input: Record<string, unknown>, context: Context): Reply
}

/** Binds a function to an endpoint, whose schemas give the types of its input and its response. */
export function handle<const E extends Endpoint>(
  endpoint: E,
  run: (input: CheckedInput<E>, context: Context) => Answer<E>,
): Handler {
  // The input has been checked with the schemas of this very endpoint.
  return { endpoint, run: (input, context) => run(input as CheckedInput<E>, context) }
}

/** The parts of a started emulator that its servers and its control API use. */
export interface Running {
  readonly world: World
  router: Router
  readonly journal: Journal
  readonly faults: ReturnType<typeof makeFaults>
  /** What a test answers itself. */
  readonly ownHandlers: OwnHandlers
  /** Where it listens, and a key to try it with. */
  addresses: { url: string; appUrl: string; apiKey: string }
  /** Writes the state if it has changed and there is a file for it. */
  save(): void
  /** Restores a seed, by default that of the start, and the faults of the start. */
  reset(seed?: SeedInput): void
}

/** The response to a deletion: 200 with an empty object, or 204 if the seed says so. */
export function deleted({ seed }: World): Reply & { body?: Record<string, never> } {
  const { deletionStatus: status } = seed.behavior
  return status === 204 ? { status } : { status, body: {} }
}
