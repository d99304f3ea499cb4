import { DecodeError, type Drift } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { NO_BODY } from '../transport.ts'
import { decode } from '../validation/decode.ts'
import { type Arriving, networkFailure, type Received, type Shared } from './attempt.ts'
import type { Answered } from './call.ts'
import { Ended } from './clock.ts'
import { shownOf, toError } from './failure.ts'
import { redact, redactValue } from './redact.ts'
import type { AttemptFailure } from './retry.ts'

const SHOWN_DRIFTS = 5

/**
 * The parsed body of a response, checked against the shape of its endpoint; undefined if it is empty.
 * @throws {DecodeError} if it is not JSON, too long, or differs from the known shape while `strict` is set
 */
export function readResponse(
  shared: Shared,
  entry: Operation | undefined,
  answered: Answered,
  input?: unknown,
): unknown {
  const received = receivedIn(answered)
  if (!received) return { replayed: true }
  const decoded = decode(entry, received, input)
  if ('problem' in decoded) throw undecodable(answered, received, decoded.problem)
  const { value } = decoded
  // A service may use what it received as the name of a field.
  const drift = redactValue(decoded.drift, answered.call.secrets) as readonly Drift[]
  if (drift.length > 0 && answered.call.limits.strict)
    throw undecodable(answered, received, `not of the known shape: ${listDrift(drift)}`, drift)
  for (const one of drift) shared.reportDrift(one)
  return value
}

/**
 * The response of a call as it is.
 * @throws {DecodeError} if it is too long, for a transport that responds with text
 */
export function responseOf(answered: Answered): Response {
  const { last } = answered.outcome
  const { status = 0, headers: given = {}, text } = receivedIn(answered) ?? last.received ?? {}
  const headers = new Headers()
  for (const [name, values] of Object.entries(given))
    for (const value of [values ?? []].flat()) headers.append(name, value)
  const arriving = 'arriving' in last && last.arriving
  const body = arriving ? streamOf(arriving, answered) : text
  return new Response(NO_BODY.test(`${status}`) ? null : body, { status, headers })
}

/** The body as a stream, which reads nothing ahead. */
function streamOf({ chunks, life, stop }: Arriving, { call, outcome }: Answered) {
  const iterator = chunks[Symbol.asyncIterator]()
  const errorOf = (failure: AttemptFailure) => toError(call, outcome.facts, { failure })
  const source = {
    start(controller: ReadableStreamDefaultController<Uint8Array>) {
      life.onEnd((reason) => {
        stop()
        // Not left to the transport: the fetch of Node.js may never tell.
        if (reason instanceof Ended) controller.error(errorOf(reason.failure))
      })
    },
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      try {
        const { value, done } = await iterator.next()
        if (!done) return controller.enqueue(value)
        controller.close()
      } catch (error) {
        stop()
        throw errorOf(networkFailure(error, 'body'))
      }
      stop()
    },
    cancel: () => life.end(new Error('the body was cancelled')),
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}

function receivedIn(answered: Answered): Received | undefined {
  const { last, isReplay } = answered.outcome
  if (last.failure || isReplay) return undefined
  if (!last.isTooLong) return last.received
  const limit = `longer than ${answered.call.limits.maxResponseBytes} bytes (maxResponseBytes)`
  throw undecodable(answered, last.received, limit)
}

function listDrift(drift: readonly Drift[]) {
  const shown = drift.slice(0, SHOWN_DRIFTS).map(({ path, problem }) => `${path}: ${problem}`)
  const rest = drift.length - shown.length
  return shown.join('; ') + (rest > 0 ? `; and ${rest} more` : '')
}

function undecodable(
  { call, outcome }: Answered,
  received: Received,
  problem: string,
  drift?: readonly Drift[],
): DecodeError {
  const { secrets, target } = call
  const message = `${target.method} ${target.route}: the response is ${redact(problem, secrets)}`
  const facts = { ...outcome.facts, ...shownOf(received, secrets) }
  return new DecodeError(message, { ...facts, drift })
}
