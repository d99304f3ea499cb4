import type { Readable } from 'node:stream'
import { errorBodyBytes, type ResponseHeaders, type TransportResponse } from '../transport.ts'

type ReadBody = Pick<TransportResponse, 'text' | 'end' | 'cause'>

/** How many bytes of a body are kept: an error response needs less room than a success. */
export function bodyLimit(status: number, maxBytes: number): number {
  const isSuccess = status >= 200 && status <= 299
  return isSuccess ? maxBytes : Math.min(maxBytes, errorBodyBytes)
}

/** What arrives of a body, up to its limit. */
export class Body {
  readonly #limit: number
  readonly #chunks: Buffer[] = []
  #size = 0

  constructor(status: number, maxBytes: number) {
    this.#limit = bodyLimit(status, maxBytes)
  }

  /** Keeps as much of it as is allowed. */
  add(chunk: Buffer) {
    this.#size += chunk.length
    const tooMuch = this.#size - this.#limit
    this.#chunks.push(tooMuch > 0 ? chunk.subarray(0, chunk.length - tooMuch) : chunk)
  }

  get isTooLong() {
    return this.#size > this.#limit
  }

  /** The text of what arrived, decompressed; no more of it than the limit allows. */
  finish(
    headers: ResponseHeaders,
    end: TransportResponse['end'],
    cause?: unknown,
  ): ReadBody | Promise<ReadBody> {
    const bytes = Buffer.concat(this.#chunks)
    const decompress = decompressorOf(headers)
    if (!decompress || bytes.length === 0) return { text: bytes.toString(), end, cause }
    return unpack(bytes, decompress(), this.#limit, { end, cause })
  }
}

/** What responses may be compressed with. */
export const acceptEncoding = 'gzip, br'

function decompressorOf(headers: ResponseHeaders) {
  const zlib = process.getBuiltinModule('node:zlib')
  const encoding = String(headers['content-encoding'] ?? '').toLowerCase()
  if (encoding === 'gzip' || encoding === 'x-gzip') return () => zlib.createGunzip()
  return encoding === 'br' ? () => zlib.createBrotliDecompress() : undefined
}

async function unpack(
  bytes: Buffer,
  stream: NodeJS.ReadWriteStream & Readable,
  limit: number,
  { end, cause }: Pick<ReadBody, 'end' | 'cause'>,
): Promise<ReadBody> {
  const chunks: Buffer[] = []
  let room = limit
  const text = () => Buffer.concat(chunks).toString()
  try {
    stream.end(bytes)
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, Math.max(0, room)))
      room -= chunk.length
      // A small body may be a bomb: the rest is not unpacked.
      if (room < 0) return { text: text(), end: 'too-long' }
    }
    return { text: text(), end, cause }
  } catch (error) {
    // A body that was cut cannot be unpacked to its end; why it was cut says more.
    return { text: text(), end: end === 'complete' ? 'broken' : end, cause: cause ?? error }
  }
}

/**
 * Reads a body to its end, so that the connection is free again. A longer one than allowed is cut,
 * and its connection closed.
 */
export function readBody(
  stream: Readable,
  headers: ResponseHeaders,
  body: Body,
): Promise<ReadBody> {
  return new Promise((resolve) => {
    const settle = (end: TransportResponse['end'], cause?: unknown) =>
      resolve(body.finish(headers, end, cause))
    stream.on('data', (chunk: Buffer) => {
      body.add(chunk)
      if (!body.isTooLong) return
      settle('too-long')
      stream.destroy()
    })
    stream.on('end', () => settle('complete'))
    stream.on('error', (cause) => settle('broken', cause))
    stream.on('close', () => settle('broken', endedEarly()))
  })
}

export function endedEarly() {
  return new Error('the connection ended before the response')
}
