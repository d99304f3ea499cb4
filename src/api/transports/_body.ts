import type { Readable } from 'node:stream'
import { process } from '../timers.ts'
import {
  errorBodyBytes,
  isSuccess,
  type ResponseHeaders,
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
} from '../transport.ts'

type ReadBody = Pick<TransportResponse, 'text' | 'end' | 'cause'>

/** How many bytes of a body are kept: an error response needs less room than a success. */
export function bodyLimit(status: number, maxBytes: number): number {
  return isSuccess(status) ? maxBytes : Math.min(maxBytes, errorBodyBytes)
}

/** A response whose body arrives piece by piece, up to its limit. */
export class PartialResponse {
  readonly #head: Pick<TransportResponse, 'status' | 'headers'>
  readonly #limit: number
  readonly #chunks: Buffer[] = []
  #size = 0

  constructor(status: number, headers: ResponseHeaders, maxBytes: number) {
    this.#head = { status, headers }
    this.#limit = bodyLimit(status, maxBytes)
  }

  /** Keeps the chunk; false once the body is longer than the limit. */
  add(chunk: Buffer): boolean {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    return this.#size <= this.#limit
  }

  /** The response with the text that arrived, decompressed and truncated at the limit. */
  finish(
    end: TransportResponse['end'],
    cause?: unknown,
  ): TransportResponse | Promise<TransportResponse> {
    const bytes = Buffer.concat(this.#chunks, Math.min(this.#size, this.#limit))
    const decompressor = bytes.length > 0 && decompressorOf(this.#head.headers)
    const { status, headers } = this.#head
    // Spelled out: spreading an object takes a twentieth of a fast request.
    if (!decompressor) return { status, headers, text: bytes.toString(), end, cause }
    decompressor.end(bytes)
    return readText(decompressor, this.#limit).then((read) => {
      // A truncated body always fails to decompress; the reason for the truncation says more.
      const isWhole = end === 'complete' || read.end === 'too-long'
      return { status, headers, ...read, ...(isWhole ? {} : { end, cause }) }
    })
  }
}

/** The compressions that the decompressor below supports. */
export const acceptEncoding = 'gzip, br'

/** Undefined if the body is not compressed. Loads zlib only if it is. */
function decompressorOf(headers: ResponseHeaders) {
  const [encoding, isGzip] = /^(?:((?:x-)?gzip)|br)$/i.exec(`${headers['content-encoding']}`) ?? []
  if (!encoding) return undefined
  const zlib = process.getBuiltinModule('node:zlib')
  return isGzip ? zlib.createGunzip() : zlib.createBrotliDecompress()
}

/** The stream, decompressed. Its errors are for whoever reads it; without a reader, they must not end the process. */
export function decompressed(stream: Readable, headers: ResponseHeaders): Readable {
  const decompressor = decompressorOf(headers)
  stream.on('error', () => {})
  if (!decompressor) return stream
  decompressor.on('error', () => {})
  return process.getBuiltinModule('node:stream').pipeline(stream, decompressor, () => {})
}

/** The text of a stream up to a limit. Decompression stops there, since a small body may be a zip bomb. */
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
      text += decoder.decode(chunk.subarray(0, room), { stream: true })
      room -= chunk.length
      if (room < 0) break
    }
    return { text: text + decoder.decode(), end: room < 0 ? 'too-long' : 'complete' }
  } catch (cause) {
    return { text, end: 'broken', cause }
  }
}

/** The error of a request to a closed client. A retry would not help. */
export function closedError() {
  return Object.assign(new Error('the client is closed'), { code: 'ERR_CLOSED' })
}

type End = (reason: Error) => void

/**
 * Makes a transport that keeps no connections. `exchange` passes `onEnd` a function that cancels the request; it is
 * called when the attempt is cut short, or the transport is closed.
 */
export function closable(
  exchange: (request: TransportRequest, onEnd: (end: End) => void) => Promise<TransportResponse>,
): Required<Transport> {
  const open = new Set<End>()
  let isClosed = false
  return {
    async send(request) {
      if (isClosed) throw new TransportFailure(closedError(), false)
      let end: End | undefined
      const forget = () => end && open.delete(end)
      let response: TransportResponse | undefined
      try {
        response = await exchange(request, (given) => {
          end = (reason) => {
            forget()
            given(reason)
          }
          open.add(end)
          request.onEnd(end)
        })
        if (response.body) response.body = withEnd(response.body, forget)
        return response
      } finally {
        if (!response?.body) forget()
      }
    },
    async close() {
      isClosed = true
      for (const end of open) end(closedError())
    },
  }
}

async function* withEnd(chunks: AsyncIterable<Uint8Array>, onEnd: () => void) {
  try {
    yield* chunks
  } finally {
    onEnd()
  }
}
