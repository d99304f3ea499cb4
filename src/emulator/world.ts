import type { Endpoint, Output } from '../api/endpoints/endpoint.ts'
import type { Clock } from './clock.ts'
import type { Reply } from './reply.ts'
import type { Role, Seed } from './seed.ts'
import type { Key, State } from './state.ts'

/** What every part of the emulator works on. */
export interface World {
  readonly seed: Seed
  readonly clock: Clock
  /** Replaced as a whole by a reset. */
  state: State
}

/** Who calls. */
export interface Caller {
  key: Key
  role: Role
}

/** What a handler gets beside its input. `now` is the same for the whole request. */
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

/** An answer as the table promises it, without the names that only the client library adds. */
export type Answer<E extends Endpoint> = Reply & { body?: Output<E> | Record<string, never> }

/** An endpoint with what the emulator does for it. */
export interface Handler {
  readonly endpoint: Endpoint
  run(input: Record<string, unknown>, context: Context): Reply
}

/** Binds a function to an endpoint; the table says what its input is and what it may answer. */
export function handle<const E extends Endpoint>(
  endpoint: E,
  run: (input: CheckedInput<E>, context: Context) => Answer<E>,
): Handler {
  // The input has been checked with the schemas of this very endpoint.
  return { endpoint, run: (input, context) => run(input as CheckedInput<E>, context) }
}
