import type { Readable } from 'node:stream'
import { errorBodyBytes, type TransportResponse } from '../core/transport.ts'

/** What arrives of a body, up to its limit: an error answer needs less room than a success. */
export class Body {
  readonly #limit: number
  readonly #chunks: Buffer[] = []
  #size = 0

  constructor(status: number, maxBytes: number) {
    const isSuccess = status >= 200 && status <= 299
    this.#limit = isSuccess ? maxBytes : Math.min(maxBytes, errorBodyBytes)
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

  get text() {
    return Buffer.concat(this.#chunks).toString()
  }
}

/**
 * Reads a body to its end, so that the connection is free again. A longer one than allowed is cut,
 * and its connection closed.
 */
export function readBody(
  stream: Readable,
  body: Body,
): Promise<Pick<TransportResponse, 'text' | 'end' | 'cause'>> {
  return new Promise((resolve) => {
    const settle = (end: TransportResponse['end'], cause?: unknown) =>
      resolve({ text: body.text, end, cause })
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
  return new Error('the connection ended before the answer')
}
