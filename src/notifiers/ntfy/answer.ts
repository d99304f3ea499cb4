import * as z from 'zod'
import type { HttpAnswer } from '../_http.ts'
import { answerLine, httpFailure, notFrom } from '../_network.ts'
import { parseAnswer } from '../_request-json.ts'
import { DeliveryError } from '../define.ts'

const MINUTE = 60_000

/** https://docs.ntfy.sh/publish: what the server answers to an accepted message, and to a refused one. */
const accepted = z.object({
  id: z.string().min(1),
  event: z.literal('message'),
  // Since version 2.16: the id with which a later message replaces this one, or deletes it.
  sequence_id: z.string().optional(),
})
const refused = z.object({ code: z.int(), error: z.string() })

/** How long to wait, by ntfy's error code, if it does not say so. For other codes the worker's own backoff holds. */
const waits = new Map([
  // Too many requests at once: one more is allowed every five seconds.
  [42901, 5000],
  // The day's messages are used up.
  [42908, 60 * MINUTE],
  [42909, 5 * MINUTE],
])

const hints = new Map([
  [40009, 'The topic may have letters, digits, "-" and "_"'],
  [40101, 'Set a token for this channel, or correct it'],
  [40301, 'This token must not write to the topic: see `ntfy access` on the server'],
  [42908, 'The limit of messages per day is reached; use a token or a server of your own'],
  [42909, 'Too many wrong tokens came from this address: correct the token'],
])

/** Parses the answer to an accepted message. @throws DeliveryError if it is not from an ntfy server */
export function acceptedMessage({ status, text }: HttpAnswer, secrets: readonly string[]) {
  const { data } = accepted.safeParse(parseAnswer({ text }))
  if (data) {
    const { id, sequence_id: sequence } = data
    return { answer: `accepted as ${answerLine(id, secrets)}`, sequence }
  }
  throw notFrom('an ntfy server', {
    name: 'ntfy',
    status,
    text: answerLine(text, secrets),
    hint: 'Check that the server of this channel is an ntfy server',
  })
}

/** The verdict on an answer that is not a success. */
export function ntfyFailure(answer: HttpAnswer, secrets: readonly string[]): DeliveryError {
  const { data } = refused.safeParse(parseAnswer(answer))
  const code = data?.code ?? 0
  const text = answerLine(data ? `${data.code} ${data.error}` : answer.text, secrets)
  const failure = httpFailure('ntfy', { ...answer, text, hint: hints.get(code) })
  if (failure.verdict !== 'retry' || failure.retryAfterMs !== undefined) return failure
  const { message, hint } = failure
  return new DeliveryError('retry', message, { hint, retryAfterMs: waits.get(code) })
}
