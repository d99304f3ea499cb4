import { DecodeError, type Drift } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { decode } from '../validation/decode.ts'
import type { Received, Shared } from './attempt.ts'
import type { Answered } from './call.ts'
import { shownOf } from './failure.ts'
import { redact, redactValue } from './redact.ts'

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
