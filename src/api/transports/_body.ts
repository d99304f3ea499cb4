import type { Readable } from 'node:stream'
import { errorBodyBytes, type TransportResponse } from '../core/transport.ts'

type Body = Pick<TransportResponse, 'text' | 'end' | 'cause'>

/**
 * Reads a body to its end, so that the connection is free again. A longer one than allowed is cut,
 * and its connection closed.
 */
export function readBody(stream: Readable, status: number, maxBytes: number): Promise<Body> {
  const limit = isSuccess(status) ? maxBytes : Math.min(maxBytes, errorBodyBytes)
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (end: Body['end'], cause?: unknown) =>
      resolve({ text: Buffer.concat(chunks).toString('utf8'), end, cause })
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(size > limit ? chunk.subarray(0, chunk.length - (size - limit)) : chunk)
      if (size <= limit) return
      settle('too-long')
      stream.destroy()
    })
    stream.on('end', () => settle('complete'))
    stream.on('error', (cause) => settle('broken', cause))
    stream.on('close', () => settle('broken', new Error('the connection ended before the answer')))
  })
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299
}
