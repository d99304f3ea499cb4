import { Clock, Ended } from '../core/clock.ts'
import { Lifetime } from '../core/lifetime.ts'
import type { CallOptions } from '../core/options.ts'
import { AbortedError, throwIfAny } from '../errors.ts'
import type { Message, SessionsMessagesApi } from '../types/index.ts'
import { PATIENCE_MS, type Turn } from './turn.ts'
import { makeWatcher } from './watcher.ts'

/** What to watch, and how. */
export interface WatchInput {
  /** Session ID. */
  sessionId: string
  /** ID of a computer to ask directly. */
  computerId?: string | undefined
  /** Only what comes after the message with this ID. Left out: what comes from now on. */
  after?: string | undefined
  /** Ends the watch at once, with an `AbortedError`. */
  signal?: AbortSignal | undefined
  /** Whether to end when the agent has finished. Left out: never. @default false */
  endOnIdle?: boolean | undefined
  /** How long nothing must change before the agent counts as finished, in milliseconds. @default 3000 */
  quietMs?: number | undefined
  /** The first pause between two looks, in milliseconds. It grows while nothing happens. @default 1000 */
  pollMs?: number | undefined
  /** The longest pause between two looks, in milliseconds. @default 15000 */
  maxPollMs?: number | undefined
}

/** The method `sessions.messages.watch`, described in `MessagesClient`. */
export type Watch = (
  input: WatchInput,
  options?: CallOptions,
) => AsyncGenerator<Message, void, undefined>

const PLACE = 'sessions.messages.watch'
const PAGE_SIZE = 100
const GROWTH = 1.5
const MOST_FAILURES = 5

/** Makes `sessions.messages.watch` of a client. */
export function makeWatch(messages: Pick<SessionsMessagesApi, 'list'>): Watch {
  return async function* watch(input, options) {
    const { pollMs, maxPollMs, quietMs, signal } = input
    checkPauses(PLACE, '', { pollMs, maxPollMs, quietMs })
    const clock = new Clock(Number.POSITIVE_INFINITY, signal)
    try {
      for await (const { changed } of follow(messages, input, options, clock)) yield* changed
    } catch (error) {
      throw abortedAs(PLACE, error)
    }
  }
}

/** What one look has found, and how the turn stands. */
export interface Look {
  changed: readonly Message[]
  turn: Turn
}

/**
 * Looks again and again; gives what each look that found something has found.
 * @throws {Ended} when the clock says so
 */
export async function* follow(
  messages: Pick<SessionsMessagesApi, 'list'>,
  { after, endOnIdle, quietMs = 3_000, pollMs = 1_000, maxPollMs = 15_000, ...input }: WatchInput,
  options: CallOptions | undefined,
  clock: Clock,
): AsyncGenerator<Look> {
  const { sessionId, computerId } = input
  let life: Lifetime
  const watcher = makeWatcher((cursor) => {
    const { signal } = life
    return messages.list(
      { sessionId, computerId, limit: PAGE_SIZE, cursor },
      { ...options, signal },
    )
  }, after)
  let changedAt = clock.elapsedMs
  let failures = 0
  let pause = pollMs
  try {
    for (;;) {
      life = new Lifetime()
      const look = clock.attempt(life, () => watcher.look())
      const changed = await look.catch((error: unknown) => {
        failures += 1
        if (failures > MOST_FAILURES || !mayPass(error)) throw error
        return undefined
      })
      if (changed) failures = 0
      if (changed?.length) {
        changedAt = clock.elapsedMs
        pause = pollMs
        yield { changed, turn: watcher.turn() }
      }
      if (endOnIdle && changed && watcher.hasStarted() && isIdle(watcher.turn())) return
      await clock.sleep(pause)
      pause = Math.min(Math.max(pollMs, maxPollMs), pause * GROWTH)
    }
  } finally {
    clock.stop()
  }

  function isIdle({ isAnswered, isDoubtful }: Turn): boolean {
    const needed = isDoubtful ? Math.max(quietMs, PATIENCE_MS) : quietMs
    return isAnswered && clock.elapsedMs - changedAt >= needed
  }
}

/** @throws {ValidationError} naming the pauses that are no numbers from 0 up */
export function checkPauses(place: string, before: string, pauses: object) {
  const issues = Object.entries(pauses)
    .filter(([, value]) => value !== undefined && !(value >= 0))
    .map(([name]) => ({ field: before + name, problem: 'must be 0 or more' }))
  throwIfAny(place, issues)
}

/** The error for whoever aborted; any other stays. */
export function abortedAs(place: string, error: unknown): unknown {
  if (!(error instanceof Ended) || error.failure.kind !== 'aborted') return error
  return new AbortedError(`${place}: aborted`, { cause: error.failure.reason })
}

/** Of what a call could not get over by itself: the network may come back, and the service recover. */
function mayPass(error: unknown): boolean {
  const { kind, status = 0 } = Object(error)
  return kind === 'network' || kind === 'timeout' || status === 429 || status >= 500
}
