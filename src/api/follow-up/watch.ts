import { isPermanent } from '../core/attempt.ts'
import type { Pauses } from '../core/clock.ts'
import { Clock, Ended, Lifetime } from '../core/clock.ts'
import type { CallOptions } from '../core/options.ts'
import { AbortedError, invalid, throwIfAny } from '../errors.ts'
import type { Message, SessionsMessagesApi } from '../types.ts'
import { PATIENCE_MS, type Turn } from './turn.ts'
import { makeWatcher } from './watcher.ts'

/** What to watch, and how. */
export interface WatchInput {
  /** Session ID. */
  sessionId: string
  /** ID of a computer to read from directly. */
  computerId?: string | undefined
  /**
   * Only messages after the one with this ID, for example the last that you have stored: if it is not listed, it is
   * waited for. Null: all messages from the beginning. Left out: messages from now on.
   */
  after?: string | null | undefined
  /** Ends the watch at once, with an `AbortedError`. @default the signal of the call's options */
  signal?: AbortSignal | undefined
  /** Whether to end when the agent has finished. Otherwise the watch never ends by itself. @default false */
  endOnIdle?: boolean | undefined
  /** How long nothing may change before the agent counts as finished, in milliseconds. @default 3000 */
  quietMs?: number | undefined
  /** The first pause between two polls, in milliseconds. It grows while nothing changes. @default 1000 */
  pollMs?: number | undefined
  /** The longest pause between two polls, in milliseconds. @default 15000 */
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
export function makeWatch(messages: Pick<SessionsMessagesApi, 'list'>, pauses: Pauses): Watch {
  return async function* watch(given, options) {
    // Untyped callers may pass nothing; the first poll rejects that.
    const input = given ?? ({} as WatchInput)
    const { signal = options?.signal } = input
    checkPauses(PLACE, '', input)
    if (signal && !(signal instanceof AbortSignal))
      throw invalid(PLACE, 'signal', 'must be an AbortSignal')
    const clock = new Clock(Infinity, signal, pauses)
    try {
      for await (const { changed } of follow(messages, input, options, clock)) yield* changed
    } catch (error) {
      throw abortedAs(PLACE, error)
    }
  }
}

/** The messages that one poll found, and the state of the turn. */
interface PollResult {
  changed: readonly Message[]
  turn: Turn
}

/**
 * Polls the session and yields the result of each poll that found something.
 * @throws {Ended} when the clock's deadline is over or its signal is aborted
 */
export async function* follow(
  messages: Pick<SessionsMessagesApi, 'list'>,
  {
    sessionId,
    computerId,
    after,
    endOnIdle,
    quietMs = 3_000,
    pollMs = 1_000,
    maxPollMs = 15_000,
  }: WatchInput,
  options: CallOptions | undefined,
  clock: Clock,
): AsyncGenerator<PollResult> {
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
      const poll = clock.attempt(life, () => watcher.poll())
      const changed = await poll.catch((error: unknown) => {
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
      const canEnd = endOnIdle && changed && watcher.hasStarted()
      const left = canEnd ? timeToIdle(watcher.turn()) : Infinity
      if (left <= 0) return
      await clock.sleep(Math.min(pause, left))
      pause = Math.min(Math.max(pollMs, maxPollMs), pause * GROWTH)
    }
  } finally {
    clock.stop()
  }

  /** How long nothing may change until the agent counts as finished. */
  function timeToIdle({ isAnswered, isDoubtful }: Turn): number {
    if (!isAnswered) return Infinity
    const needed = isDoubtful ? Math.max(quietMs, PATIENCE_MS) : quietMs
    return needed - (clock.elapsedMs - changedAt)
  }
}

/** @throws {ValidationError} naming the pauses that are not numbers of 0 or more */
export function checkPauses(place: string, before: string, options: object) {
  const issues = Object.entries(options)
    .filter(
      ([name, value]) => /(poll|quiet)Ms$/i.test(name) && value !== undefined && !(value >= 0),
    )
    .map(([name]) => ({ field: before + name, problem: 'must be 0 or more' }))
  throwIfAny(place, issues)
}

/** An `AbortedError` if the caller aborted; any other error unchanged. */
export function abortedAs(place: string, error: unknown): unknown {
  if (!(error instanceof Ended) || error.failure.kind !== 'aborted') return error
  return new AbortedError(`${place}: aborted`, { cause: error.failure.reason })
}

/** Whether polling may continue after a failed call: the network may come back, the service may recover. */
function mayPass(error: unknown): boolean {
  const { kind, status = 0 } = Object(error)
  if (kind === 'network') return !isPermanent(error)
  return kind === 'timeout' || status === 429 || status >= 500
}
