import type { IncomingHttpHeaders } from 'node:http'
import * as z from 'zod'
import { certificateHint, innermost } from '../connecting.ts'
import { cleanText } from '../text/clean.ts'
import { isLoopback } from '../text/loopback.ts'
import { redact } from '../text/redact/redact.ts'
import { parseRetryAfter } from './_retry-after.ts'
import { boundLine } from './_text.ts'
import { DeliveryError, tooLate } from './define.ts'

const ANSWER_LENGTH = 300

/** A URL that takes messages by HTTP. Plain http is for this machine only. */
export const secureUrl = z
  .url({ protocol: /^https?$/, error: 'must be an https URL' })
  .refine(
    (url) => !URL.canParse(url) || /^https:/i.test(url) || isLoopback(new URL(url).hostname),
    'must begin with https:// (http:// is allowed only for this machine)',
  )

/** A receiver's answer as one short line without our secrets. */
export function answerLine(text: string, secrets: readonly string[]): string {
  return boundLine(redact(cleanText(titleOf(text) ?? text), secrets), ANSWER_LENGTH)
}

/** The title of a page, such as of a proxy that reaches no server: nobody can read the start of its source. */
function titleOf(text: string): string | undefined {
  const [, title = ''] = (/^\s*</.test(text) && /<title[^<>]*>([^<]*)</i.exec(text)) || []
  return title.trim() || undefined
}

/**
 * The secrets in a URL: receivers and proxies often repeat the requested URL in their answers, in whole
 * or in part, also decoded. Parts of up to eight characters are ordinary words, such as `services`.
 */
export function urlSecrets(url: string): string[] {
  const { href, pathname, search, username, password } = new URL(url)
  const parts = [username, password, ...`${pathname}${search}`.split(/[/?&=]/)]
  const all = [url, href, pathname + search, pathname, ...parts.filter(isLong)]
  return [...all, ...all.map(decoded).filter(isLong)]
}

function isLong(part: string): boolean {
  return part.length > 8
}

/** Unchanged where it is not correctly percent-encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Not allowed or not found: the fault is in the channel, not in the message. */
const CHANNEL_DEAD = [401, 403, 404, 410]

const REDIRECT = 'Redirects are not followed: set the final URL, or log in to the network'

interface Refusal {
  status: number
  text: string
  headers: IncomingHttpHeaders
  hint?: string | undefined
  /** If the body says how long to wait. */
  retryAfterSeconds?: number | undefined
  /** If the body says that no message will be accepted. */
  isChannelDead?: boolean
}

/** The verdict on an HTTP answer that is not a success. */
export function httpFailure(name: string, refusal: Refusal): DeliveryError {
  const { status, text, headers, retryAfterSeconds, isChannelDead } = refusal
  const hint = refusal.hint ?? (status >= 300 && status < 400 ? REDIRECT : undefined)
  // The remaining 4xx mean that the same request will never succeed.
  const temporary = status < 400 || status >= 500 || [408, 425, 429].includes(status)
  const waitMs =
    retryAfterSeconds === undefined
      ? parseRetryAfter(headers['retry-after'])
      : Math.ceil(retryAfterSeconds * 1000)
  // The title of most error pages begins with the status.
  const what = text.startsWith(`${status} `) ? text : `${status} ${text}`.trim()
  return new DeliveryError(temporary ? 'retry' : 'give-up', `${name}: ${what}`, {
    retryAfterMs: temporary ? waitMs : undefined,
    isChannelDead: !temporary && (isChannelDead || CHANNEL_DEAD.includes(status)),
    hint,
  })
}

/** The verdict on a success that another server sent in place of the service. */
export function notFrom(
  service: string,
  { name, status, text, hint }: { name: string; status: number; text: string; hint: string },
): DeliveryError {
  const what = `${name}: ${status}, but the answer is not from ${service}`
  return new DeliveryError('retry', text ? `${what}: ${text}` : what, { hint })
}

/**
 * The verdict on a request that failed without an answer. The original error is not kept as the
 * cause: it may contain the URL or what was sent.
 */
export function connectionFailure(
  name: string,
  error: unknown,
  options: { signal: AbortSignal; secrets: readonly string[]; handle?: string | undefined },
): DeliveryError {
  const { signal, secrets, handle } = options
  const fault = innermost(error)
  const hint = signal.aborted ? undefined : certificateHint(fault)
  const message = signal.aborted
    ? tooLate(name, signal).message
    : `${name}: ${answerLine(fault, secrets)}`
  return new DeliveryError('retry', message, { handle, hint })
}
