import { readSync } from 'node:fs'

const STRETCH_BYTES = 1024 * 1024
/** No entry is that long: a longer line is damage, such as the zeros of blocks that a power cut lost. */
export const LONGEST_LINE = 4 * 1024 * 1024

/** Consecutive whole lines of a file. */
export interface Stretch {
  /**
   * One character per byte, which is cheapest. Ends with a newline, except at the end of a file without one, and for the
   * parts of a line that is longer than any entry.
   */
  text: string
  /** The offset in the file at which it begins. */
  start: number
}

/** Reads a part of a file, about one mebibyte at a time, as far as the file goes. */
export function* readStretches(fd: number, from: number, to: number): Generator<Stretch> {
  const chunk = Buffer.allocUnsafe(Math.min(STRETCH_BYTES, Math.max(0, to - from)))
  let rest = ''
  for (let position = from; position < to; ) {
    const bytesRead = readSync(fd, chunk, 0, Math.min(chunk.length, to - position), position)
    // Somebody truncated the file.
    if (bytesRead === 0) break
    const read = chunk.toString('latin1', 0, bytesRead)
    const whole = read.lastIndexOf('\n') + 1
    if (whole > 0) {
      yield { text: rest + read.slice(0, whole), start: position - rest.length }
      rest = ''
    }
    rest += read.slice(whole)
    position += bytesRead
    if (rest === '' || (position < to && rest.length < LONGEST_LINE)) continue
    yield { text: rest, start: position - rest.length }
    rest = ''
  }
}

/** @param visit called with where a line begins and where its newline is; not for empty lines */
export function eachLine(text: string, visit: (start: number, end: number) => void) {
  let start = 0
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end > start) visit(start, end)
    start = end + 1
  }
}
