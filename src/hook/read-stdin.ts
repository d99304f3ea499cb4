import { constants, fstatSync, openSync, readSync } from 'node:fs'
import type { SocketConnectOpts, SocketConstructorOpts } from 'node:net'
import { MAX_BODY_BYTES } from '../spool/layout.ts'

/** We set a deadline, because some agents never close the pipe. */
const DEADLINE_MS = 1000
const CHUNK_BYTES = 64 * 1024

/** Called once. `drain` reads to the end or the deadline, for agents that treat a closed pipe as an error. */
type Ready = (body: Buffer, drain: (done: () => void) => void) => void

/** Reads until the end, a complete JSON object or array, or the deadline. Keeps at most MAX_BODY_BYTES. */
export function readEvent(ready: Ready) {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  const body = new Body()
  const source = openSource()
  if (source === undefined) return readStream(chunk, body, ready)
  const deadline = performance.now() + DEADLINE_MS
  while (!body.isFull && !body.isComplete && readOnce(source, chunk, body, deadline));
  ready(body.bytes(), (done) => {
    while (body.isFull && performance.now() < deadline && readOnce(source, chunk, body, deadline));
    done()
  })
}

/** @returns false at the end, and at the deadline if nothing has come */
function readOnce(source: number, chunk: Buffer, body: Body, deadline: number): boolean {
  for (let waitMs = 0.1; ; waitMs = Math.min(waitMs * 2, 5)) {
    // On a busy machine the deadline may pass before the first look at what has come long ago.
    const isLate = performance.now() >= deadline
    try {
      const size = readSync(source, chunk)
      body.add(chunk.subarray(0, size))
      return size > 0
    } catch (error) {
      if (isLate || (error as NodeJS.ErrnoException).code !== 'EAGAIN') return false
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs)
  }
}

/** The bytes received so far. */
class Body {
  #chunks: Buffer[] = []
  #size = 0
  isComplete = false

  get isFull() {
    return this.#size >= MAX_BODY_BYTES
  }

  add(chunk: Buffer) {
    if (this.isFull || chunk.length === 0) return
    this.#chunks.push(Buffer.from(chunk.subarray(0, MAX_BODY_BYTES - this.#size)))
    this.#size += chunk.length
    // After a full chunk another one follows, so a check is not needed.
    this.isComplete = chunk.length < CHUNK_BYTES && isCompleteJson(this.#chunks)
  }

  bytes(): Buffer {
    return this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks)
  }
}

/** Only text that ends with a bracket counts: a number, for one, might continue in the next chunk. */
function isCompleteJson(chunks: Buffer[]): boolean {
  const last = chunks.at(-1) as Buffer
  let end = last.length - 1
  while (end > 0 && (last[end] as number) <= 0x20) end -= 1
  if (last[end] !== 0x7d && last[end] !== 0x5d) return false
  try {
    JSON.parse(Buffer.concat(chunks).toString())
    return true
  } catch {
    return false
  }
}

/**
 * A descriptor whose reads cannot block for ever: a file, or a pipe that is opened again as non-blocking.
 * Loading streams for these would cost the agent 4 ms. A socket cannot be opened again.
 */
function openSource(): number | undefined {
  try {
    const stat = fstatSync(0)
    if (stat.isFile()) return 0
    if (!stat.isFIFO() || process.platform === 'win32') return undefined
    return openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
}

function readStream(chunk: Buffer, body: Body, ready: Ready) {
  let state: 'reading' | 'draining' | 'over' = 'reading'
  let exit = () => {}
  const finish = () => {
    if (state === 'draining') return exit()
    if (state === 'over') return
    state = 'over'
    ready(body.bytes(), (done) => {
      if (!body.isFull || isLate) return done()
      state = 'draining'
      exit = done
    })
  }
  let isLate = false
  const giveUp = () => {
    isLate = true
    finish()
  }
  // What has come by then is read first.
  setTimeout(() => setImmediate(giveUp), DEADLINE_MS)
  const onChunk = (part: Buffer) => {
    body.add(part)
    if (state === 'reading' && (body.isFull || body.isComplete)) finish()
  }
  try {
    openStream(chunk, onChunk).on('end', finish).on('error', finish)
  } catch {
    // stdin cannot be read at all.
    finish()
  }
}

/** A socket with its own buffer (`onread`) bypasses streams, which saves 1 ms. */
function openStream(chunk: Buffer, onChunk: (part: Buffer) => void): NodeJS.ReadableStream {
  if (!fstatSync(0).isSocket()) return process.stdin.on('data', onChunk)
  const { Socket } = process.getBuiltinModule('node:net')
  const callback = (size: number) => {
    onChunk(chunk.subarray(0, size))
    return true
  }
  const options: SocketConstructorOpts & Pick<SocketConnectOpts, 'onread'> = {
    fd: 0,
    readable: true,
    writable: false,
    onread: { buffer: chunk, callback },
  }
  return new Socket(options)
}
