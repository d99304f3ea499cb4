import * as z from 'zod'
import { isLoopback } from '../text/loopback.ts'
import { redact } from '../text/redact.ts'
import { parseRetryAfter } from './_retry-after.ts'
import { boundLine } from './_text.ts'
import { DeliveryError, type SendContext } from './define.ts'

// Enough for every answer that a person should read; the rest is not even received.
const ANSWER_BYTES = 8 * 1024
const ANSWER_LENGTH = 300

/** A URL that takes messages by HTTP. Plain http is for this machine only. */
export const secureUrl = z
  .url({ protocol: /^https?$/, error: 'must be an https URL' })
  .refine(
    (url) => !URL.canParse(url) || /^https:/i.test(url) || isLoopback(new URL(url).hostname),
    'must begin with https:// (http:// is allowed only for this machine)',
  )

/** What a receiver said, in one line and without our secrets. */
export function answerLine(text: string, secrets: readonly string[]): string {
  return boundLine(redact(text, secrets), ANSWER_LENGTH)
}

/**
 * The secrets in a URL: receivers and proxies like to repeat what was asked of them, in whole or
 * in part. Shorter parts are ordinary words, such as `services`.
 */
export function urlSecrets(url: string): string[] {
  const { href, pathname, search } = new URL(url)
  const parts = `${pathname}${search}`.split(/[/?&=]/).filter((part) => part.length > 8)
  return [url, href, pathname + search, pathname, ...parts]
}

/**
 * Returns a fetch for one delivery: the deadline reaches the request and the answer's body,
 * of which at most a few kilobytes are read. `onAnswer` sees each answer's headers.
 */
export function boundedFetch(
  context: Pick<SendContext, 'fetch' | 'signal'>,
  onAnswer: (headers: Headers) => void,
) {
  return async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const response = await context.fetch(url, { ...init, signal: context.signal })
    onAnswer(response.headers)
    const { status, statusText } = response
    return new Response(await readStart(response), { status, statusText })
  }
}

/** Not allowed, or nobody there: it is not about the message. */
const CHANNEL_DEAD = [401, 403, 404, 410]

/** The verdict on an HTTP answer that is not a success. */
export function httpFailure(
  name: string,
  answer: { status: number; text: string; headers: Headers | undefined; hint?: string | undefined },
): DeliveryError {
  const { status, text, headers, hint } = answer
  // The remaining 4xx say that this request will never be right.
  const temporary = status < 400 || status >= 500 || [408, 425, 429].includes(status)
  return new DeliveryError(temporary ? 'retry' : 'give-up', `${name}: ${status} ${text}`.trim(), {
    retryAfterMs: temporary ? parseRetryAfter(headers?.get('retry-after')) : undefined,
    isChannelDead: CHANNEL_DEAD.includes(status),
    ...(hint && { hint }),
  })
}

/**
 * The verdict on an exchange that broke off. The original error is not kept as the cause:
 * it may hold the URL or what was sent.
 */
export function connectionFailure(
  name: string,
  error: unknown,
  options: { signal: AbortSignal; secrets: readonly string[] },
): DeliveryError {
  if (options.signal.aborted) return new DeliveryError('retry', `${name}: timed out`)
  return new DeliveryError('retry', `${name}: ${answerLine(innermost(error), options.secrets)}`)
}

/** The text of the error that was first: `fetch failed` says nothing, its cause does. */
export function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return innermost(error.cause)
  const first = error instanceof AggregateError ? error.errors[0] : undefined
  return first ? innermost(first) : error.message
}

async function readStart(response: Response): Promise<string | null> {
  if (!response.body) return null
  const reader = response.body.getReader()
  const chunks: Uint8Array[] = []
  for (let size = 0; size < ANSWER_BYTES; ) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    size += value.length
  }
  await reader.cancel()
  return Buffer.concat(chunks).subarray(0, ANSWER_BYTES).toString()
}
