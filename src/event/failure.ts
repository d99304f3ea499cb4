import { sha256 } from '../text/sha256.ts'
import type { Failure } from './event.ts'
import { isLimitText, resetTimeOf } from './limit.ts'
import { isPayload, type Payload, textOf } from './payload.ts'

/** Why a turn failed, from any of the fields in which clients say it. */
export function failureOf(payload: Payload, at: number, spoken: string): Failure {
  const name = textOf(payload, 'error.name', 'error_type', 'errorType')
  const said = textOf(
    payload,
    'error_details',
    'errorDetails',
    'error.data.message',
    'error.message',
    'error',
    'error_message',
    'message',
    'status',
  )
  // The status of a turn of Cursor, which says no more than that it failed.
  const words = [said, name, spoken].find((one) => one !== '' && one !== 'error') ?? ''
  const all = [name, textOf(payload, 'error'), said, spoken].join('\n').slice(0, 16 * 1024)
  const isLimit = isLimitText(all)
  const reason = inWords(words).slice(0, 4096).toWellFormed()
  return {
    reason,
    cause: causeOf(/^(unknown.*)?$/.test(reason) ? [name, spoken] : [name, reason], isLimit),
    isLimit,
    resetsAt: isLimit ? resetTimeOf(all, at) : undefined,
  }
}

/**
 * The words of a failure without what differs each time, such as the number of a request. Hashed, because the words may
 * quote the agent. A limit is worded in many ways, and with a time.
 */
function causeOf(words: readonly string[], isLimit: boolean): string {
  if (isLimit) return 'limit'
  const text = words
    .join(' ')
    .toLowerCase()
    .replace(/\S*\d\S*/g, '')
    .replace(/[^\p{L}]+/gu, ' ')
    .trim()
  return text && sha256(text.slice(0, 200)).slice(0, 12)
}

/** A response of a model's API, such as `529 {"type":"error","error":{"message":"Overloaded"}}`, as `529 Overloaded`. */
function inWords(reason: string): string {
  const start = reason.indexOf('{')
  if (start < 0) return reason
  try {
    const response: unknown = JSON.parse(reason.slice(start))
    const message = isPayload(response) ? textOf(response, 'error.message', 'message') : ''
    return message ? `${reason.slice(0, start).trim()} ${message}`.trim() : reason
  } catch {
    return reason
  }
}
