/** The kinds of replies to the commands used here: https://redis.io/docs/latest/develop/reference/protocol-spec/ */
export type Reply = string | number | null | RedisError | Reply[]

/** An error reply. `code` is its first word, such as OOM or NOPERM. */
export class RedisError extends Error {
  override name = 'RedisError'
  readonly code: string

  constructor(text: string) {
    super(text)
    this.code = /^[A-Z]+/.exec(text)?.[0] ?? 'ERR'
  }
}

/** For whatever Redis never says. */
export class NotRedisError extends Error {
  constructor() {
    super('it does not speak the protocol of Redis')
  }
}

/** The text of a reply, or null for none. @returns undefined if the reply is anything else */
export function textOf(reply: Reply): string | null | undefined {
  return typeof reply === 'string' || reply === null ? reply : undefined
}

/** The texts of a list. @returns undefined if the reply is anything else */
export function textsOf(reply: Reply | undefined): string[] | undefined {
  const isList = Array.isArray(reply) && reply.every((one) => typeof one === 'string')
  return isList ? reply : undefined
}

/** Whether an error, also one of ioredis, says that the server is only a replica, such as after a failover. */
export function isFromReplica({ message }: Error): boolean {
  return /^(READONLY|MASTERDOWN) /.test(message)
}

/** The bytes of one command. */
export function encodeCommand(words: readonly string[]): Buffer {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
  return Buffer.from(`*${words.length}\r\n${parts.join('')}`)
}

const MAX_DEPTH = 4

/** Parses replies that arrive in pieces. */
export class ReplyParser {
  readonly #maxBytes: number
  #rest: Buffer = Buffer.alloc(0)

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** @returns the replies that are complete now. @throws if a reply is too long or not of this protocol */
  push(chunk: Buffer): Reply[] {
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    if (this.#rest.length > this.#maxBytes) throw new Error('the answer is too long')
    const replies: Reply[] = []
    for (let next = parseAt(this.#rest, 0, 0); next; next = parseAt(this.#rest, 0, 0)) {
      replies.push(next.reply)
      this.#rest = this.#rest.subarray(next.end)
    }
    return replies
  }
}

interface Parsed {
  reply: Reply
  end: number
}

/** @returns undefined if the reply is not complete yet */
function parseAt(bytes: Buffer, start: number, depth: number): Parsed | undefined {
  const lineEnd = bytes.indexOf('\r\n', start)
  if (lineEnd < 0) return undefined
  const line = bytes.toString('utf8', start + 1, lineEnd)
  const end = lineEnd + 2
  switch (bytes.toString('latin1', start, start + 1)) {
    case '+':
      return { reply: line, end }
    case '-':
      return { reply: new RedisError(line), end }
    case ':':
      return { reply: numberIn(line), end }
    case '$':
      return bulkAt(bytes, end, numberIn(line))
    case '*':
      return listAt(bytes, end, numberIn(line), depth)
    default:
      throw new NotRedisError()
  }
}

function bulkAt(bytes: Buffer, start: number, length: number): Parsed | undefined {
  if (length < 0) return { reply: null, end: start }
  const end = start + length
  if (bytes.length < end + 2) return undefined
  return { reply: bytes.toString('utf8', start, end), end: end + 2 }
}

function listAt(bytes: Buffer, start: number, count: number, depth: number): Parsed | undefined {
  if (depth >= MAX_DEPTH) throw new Error('the answer is nested too deeply')
  if (count < 0) return { reply: null, end: start }
  const reply: Reply[] = []
  let end = start
  for (let index = 0; index < count; index++) {
    const item = parseAt(bytes, end, depth + 1)
    if (!item) return undefined
    reply.push(item.reply)
    end = item.end
  }
  return { reply, end }
}

function numberIn(line: string): number {
  if (!/^-?\d{1,15}$/.test(line)) throw new NotRedisError()
  return Number(line)
}
