import { fstatSync, readSync } from 'node:fs'
import { MAX_BODY_BYTES } from '../spool/layout.ts'

/** Own deadline: some agents never close the pipe. */
const DEADLINE_MS = 1000
/** Ask for completeness only after a pause, so that a large event is not parsed once per chunk. */
const PAUSE_MS = 20

/** Reads until the end, a complete JSON value, or the deadline. Keeps at most MAX_BODY_BYTES, drains the rest. */
export function readEvent(stream: NodeJS.ReadStream & { fd: 0 }): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve) => {
    let pause: NodeJS.Timeout | undefined
    const finish = () => {
      clearTimeout(deadline)
      clearTimeout(pause)
      resolve(Buffer.concat(chunks))
    }
    const deadline = setTimeout(finish, DEADLINE_MS)
    stream.on('data', (chunk: Buffer) => {
      if (size < MAX_BODY_BYTES) chunks.push(chunk.subarray(0, MAX_BODY_BYTES - size))
      size += chunk.length
      clearTimeout(pause)
      pause = setTimeout(() => isWhole(chunks) && finish(), PAUSE_MS)
    })
    stream.on('end', finish)
    stream.on('error', finish)
  })
}

function isWhole(chunks: Buffer[]): boolean {
  try {
    JSON.parse(Buffer.concat(chunks).toString())
    return true
  } catch {
    return false
  }
}

/** A file is read at once; opening it as a stream costs milliseconds. */
export function readIfFile(fd: number): Buffer | undefined {
  const stat = fstatSync(fd)
  if (!stat.isFile()) return undefined
  const bytes = Buffer.alloc(Math.min(stat.size, MAX_BODY_BYTES))
  let size = 0
  for (let read = -1; read !== 0 && size < bytes.length; size += read) {
    read = readSync(fd, bytes, size, bytes.length - size, null)
  }
  return bytes.subarray(0, size)
}
