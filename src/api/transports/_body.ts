import {
  errorBodyBytes,
  isSuccess,
  type ResponseHeaders,
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

  /** Keeps as much of it as is allowed, and says whether that is all of it. */
  add(chunk: Buffer): boolean {
    this.#chunks.push(chunk.subarray(0, Math.max(0, this.#limit - this.#size)))
    this.#size += chunk.length
    return this.#size <= this.#limit
  }

  /** The response with the text of what arrived, decompressed; no more of it than the limit allows. */
  finish(
    end: TransportResponse['end'],
    cause?: unknown,
  ): TransportResponse | Promise<TransportResponse> {
    const bytes = Buffer.concat(this.#chunks)
    const decompressor = bytes.length > 0 && decompressorOf(this.#head.headers)
    const { status, headers } = this.#head
    // Spelled out: to spread an object takes a twentieth of a fast request.
    if (!decompressor) return { status, headers, text: bytes.toString(), end, cause }
    decompressor.end(bytes)
    return readText(decompressor, this.#limit).then((read) => {
      // A body that was cut cannot be unpacked to its end; why it was cut says more.
      const isWhole = end === 'complete' || read.end === 'too-long'
      return { status, headers, ...read, ...(isWhole ? {} : { end, cause }) }
    })
  }
}

/** What responses may be compressed with. */
export const acceptEncoding = 'gzip, br'

/** Undefined if nothing is compressed, which takes no module either. */
function decompressorOf(headers: ResponseHeaders) {
  const [encoding, isGzip] = /^(?:((?:x-)?gzip)|br)$/i.exec(`${headers['content-encoding']}`) ?? []
  if (!encoding) return undefined
  const zlib = process.getBuiltinModule('node:zlib')
  return isGzip ? zlib.createGunzip() : zlib.createBrotliDecompress()
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
