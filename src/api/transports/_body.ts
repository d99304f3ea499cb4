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
  stream.end(bytes)
  const read = await readText(stream as AsyncIterable<Uint8Array>, limit)
  // A body that was cut cannot be unpacked to its end; why it was cut says more.
  return end === 'complete' || read.end === 'too-long' ? read : { ...read, end, cause }
}

/** The text of a stream up to a limit. A small body may be a bomb: the rest is not unpacked. */
export async function readText(
  stream: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<ReadBody> {
  // Callers strip the byte order mark themselves.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let text = ''
  let room = limit
  try {
    for await (const chunk of stream) {
      text += decoder.decode(chunk.subarray(0, Math.max(0, room)), { stream: true })
      room -= chunk.length
      if (room < 0) break
    }
    return { text: text + decoder.decode(), end: room < 0 ? 'too-long' : 'complete' }
  } catch (cause) {
    return { text, end: 'broken', cause }
  }
}

export function endedEarly() {
  return new Error('the connection ended before the response')
}
