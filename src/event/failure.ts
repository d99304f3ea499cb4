import type { Failure } from './event.ts'
import { isLimitText, resetTimeOf } from './limit.ts'
import { type Payload, textOf } from './payload.ts'

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
  const all = [name, textOf(payload, 'error'), said, spoken].join('\n').slice(0, 16 * 1024)
  const isLimit = isLimitText(all)
  return {
    reason: [said || name || spoken].join('').slice(0, 4096).toWellFormed(),
    isLimit,
    resetsAt: isLimit ? resetTimeOf(all, at) : undefined,
  }
}
