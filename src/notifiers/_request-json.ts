import { type HttpAnswer, request } from './_http.ts'
import { connectionFailure } from './_network.ts'
import type { SendContext } from './define.ts'

export interface JsonRequest {
  method?: 'POST' | 'PATCH' | 'DELETE'
  url: string
  headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  body?: object
  /** Kept out of errors. */
  secrets: readonly string[]
  /** The handle of a message that can be withdrawn although no answer to it comes. */
  handle?: string | undefined
  /** How much of the answer is read. Default: 64 KiB. */
  maxBytes?: number
}

/** Sends JSON to a service, and returns its answer, whatever its status. @throws DeliveryError if none comes */
export async function requestJson(
  name: string,
  { method = 'POST', url, headers, body, secrets, handle, maxBytes }: JsonRequest,
  { signal, extraCaFile }: Pick<SendContext, 'signal' | 'extraCaFile'>,
): Promise<HttpAnswer> {
  let isSent = false
  const sending = request(url, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      'user-agent': 'hookbell',
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
    onSent: () => {
      isSent = true
    },
    ...{ signal, extraCaFile, maxBytes },
  })
  return await sending.catch((error) => {
    throw connectionFailure(name, error, { signal, secrets, handle: isSent ? handle : undefined })
  })
}

/** The answer as JSON; undefined if it is none. */
export function parseAnswer({ text }: Pick<HttpAnswer, 'text'>): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
