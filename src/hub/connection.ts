import { readFileSync, statSync } from 'node:fs'
import type { Socket, TcpNetConnectOpts } from 'node:net'
import type { ConnectionOptions as TlsOptions } from 'node:tls'
import { connecting, trusting } from '../connecting.ts'
import { expandHome } from '../fs/home.ts'
import { WITHOUT_TLS } from './explain.ts'
import {
  encodeCommand,
  isFromReplica,
  NotRedisError,
  RedisError,
  type Reply,
  ReplyParser,
  textOf,
  textsOf,
} from './resp.ts'
import type { HubConnection } from './settings.ts'

/** The Redis of a hub. Without `ca`, its certificate is checked like those of all other receivers. */
export type HubServer = HubConnection & { extraCaFile?: string | undefined }

interface Call {
  resolve(reply: Reply): void
  reject(error: unknown): void
}

/** Limits the handshake too: a server that does not speak TLS may never answer it. */
const CONNECT_MS = 5000
/** After this long without an answer the connection counts as broken, and the next call makes another one. */
const SILENCE_MS = 20_000
/** A connection that is not used for this long is closed. */
const IDLE_MS = 30_000

/**
 * A connection to Redis, opened by the first call and again by the next call after it broke. Calls are sent in order
 * without waiting for each other. An open connection does not keep the process alive; a pending call does.
 */
export class RedisConnection {
  readonly #settings: HubServer
  readonly #limits: Limits
  #link: Link | undefined

  /** @param limits a longer reply breaks the connection, and so does a longer silence */
  constructor(settings: HubServer, limits: Partial<Limits> = {}) {
    this.#settings = settings
    this.#limits = { maxReplyBytes: 64 * 1024, silenceMs: SILENCE_MS, ...limits }
  }

  /** Sends one command. @throws RedisError for an error reply, anything else if there is no reply */
  async call(...words: string[]): Promise<Reply> {
    if (!this.#link?.isOpen) this.#link = new Link(this.#settings, this.#limits)
    return await this.#link.call(words)
  }

  /** The same for a command that replies with an integer. @throws also for any other reply */
  async count(...words: string[]): Promise<number> {
    return await this.#read(words, (reply) => (typeof reply === 'number' ? reply : undefined))
  }

  /** The same for a command that replies with a text, or with nothing. */
  async text(...words: string[]): Promise<string | null> {
    return await this.#read(words, textOf)
  }

  /** The same for a command that replies with texts. */
  async texts(...words: string[]): Promise<string[]> {
    return await this.#read(words, textsOf)
  }

  /** The same for a command that replies with texts, or with nothing. */
  async textsIfAny(...words: string[]): Promise<string[] | null> {
    return await this.#read(words, (reply) => (reply === null ? reply : textsOf(reply)))
  }

  /** Replies with a part of the names of the keys, and where the next part begins. */
  async scan(cursor: string, ...words: string[]): Promise<{ next: string; keys: string[] }> {
    return await this.#read(['SCAN', cursor, ...words], (reply) => {
      const [next, list] = Array.isArray(reply) ? reply : []
      const keys = textsOf(list)
      return typeof next === 'string' && keys ? { next, keys } : undefined
    })
  }

  /** The same for a command that replies with OK. */
  async done(...words: string[]): Promise<void> {
    await this.#read(words, (reply) => (reply === 'OK' ? reply : undefined))
  }

  /** A reply that the command never gets means that the server is no Redis, or that its replies are those to others. */
  async #read<Value>(words: readonly string[], read: (reply: Reply) => Value | undefined) {
    const value = read(await this.call(...words))
    if (value !== undefined) return value
    const error = new NotRedisError()
    this.#link?.end(error)
    throw error
  }

  close() {
    this.#link?.end(new Error('closed'))
  }
}

interface Limits {
  maxReplyBytes: number
  silenceMs: number
}

/** One socket, and the calls that wait for its replies. The first fault ends it for good. */
class Link {
  readonly #socket: Socket
  readonly #parser: ReplyParser
  readonly #waiting: Call[] = []
  readonly #connectTimer: NodeJS.Timeout
  /** Not the timeout of the socket, which begins anew with each call. */
  readonly #silenceTimer: NodeJS.Timeout

  /** @throws if the file of `ca` cannot be read */
  constructor(settings: HubServer, { maxReplyBytes, silenceMs }: Limits) {
    const isSecure = settings.url.startsWith('rediss:')
    const socket = connect(endpointOf(settings)).setNoDelay()
    this.#socket = socket
    this.#parser = new ReplyParser(maxReplyBytes)
    this.#connectTimer = setTimeout(() => {
      // A Redis without TLS takes the handshake for the beginning of a command and waits for the rest.
      const isThere = isSecure && !socket.connecting
      this.end(new Error(isThere ? WITHOUT_TLS : `no connection within ${CONNECT_MS / 1000} s`))
    }, CONNECT_MS)
    this.#silenceTimer = setTimeout(() => {
      if (this.#waiting.length > 0) this.end(new Error('no answer'))
    }, silenceMs).unref()
    socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(this.#connectTimer))
    socket.on('data', (chunk) => this.#receive(chunk))
    socket.on('timeout', () => {
      if (this.#waiting.length === 0) socket.destroy()
    })
    socket.on('error', (error) => this.end(error))
    socket.on('close', () => this.end(new Error('the connection was closed')))
    this.#authenticate(settings)
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  call(words: readonly string[]): Promise<Reply> {
    return new Promise((resolve, reject) => {
      // Only for the first waiting call: later ones, such as one every ten seconds, must not postpone the timeout.
      if (this.#waiting.length === 0) this.#silenceTimer.refresh()
      this.#waiting.push({ resolve, reject })
      this.#socket.ref()
      this.#socket.write(encodeCommand(words))
    })
  }

  /** Rejects all calls that wait. */
  end(error: unknown) {
    clearTimeout(this.#connectTimer)
    clearTimeout(this.#silenceTimer)
    for (const { reject } of this.#waiting.splice(0)) reject(error)
    this.#socket.destroy()
  }

  #receive(chunk: Buffer) {
    this.#silenceTimer.refresh()
    try {
      for (const reply of this.#parser.push(chunk)) {
        const call = this.#waiting.shift()
        // It answers what nobody has asked.
        if (!call) return this.end(new NotRedisError())
        settle(call, reply)
        // After a failover the host name may lead to the new primary, but only a new connection finds that out.
        if (reply instanceof RedisError && isFromReplica(reply)) return this.end(reply)
      }
    } catch (error) {
      return this.end(error)
    }
    if (this.#waiting.length > 0) return
    this.#socket.unref()
    this.#socket.setTimeout(IDLE_MS)
  }

  #authenticate({ url, password }: HubServer) {
    if (password === undefined) return
    const user = decodeURIComponent(new URL(url).username) || 'default'
    this.#waiting.push({
      resolve: (reply) => reply !== 'OK' && this.end(new NotRedisError()),
      reject: (error) => this.end(error),
    })
    this.#socket.write(encodeCommand(['AUTH', user, password]))
  }
}

function settle(call: Call, reply: Reply) {
  if (reply instanceof RedisError) call.reject(reply)
  else call.resolve(reply)
}

/** Opens a connection; the first event tells whether that succeeded. */
export function connect({ tls, ...place }: Endpoint): Socket {
  // Loaded at its first use: most workers have no hub.
  if (!tls) return process.getBuiltinModule('node:net').connect(place)
  return process.getBuiltinModule('node:tls').connect({ ...place, ...tls })
}

export interface Endpoint extends TcpNetConnectOpts {
  host: string
  port: number
  /** Only for rediss:// */
  tls?: TlsOptions
}

/** Where and how to connect, for any client of Redis. @throws if the file of `ca` cannot be read */
export function endpointOf({ url, ca, extraCaFile }: HubServer): Endpoint {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const place = { host, port: Number(port || 6379), ...connecting }
  if (protocol === 'redis:') return place
  const file = ca === undefined ? undefined : expandHome(ca)
  const isAddress = /^[\d.]+$|:/.test(host)
  return {
    ...place,
    tls: {
      ...(!isAddress && { servername: host }),
      ...(file === undefined ? trusting(extraCaFile) : { ca: readAuthority(file) }),
      minVersion: 'TLSv1.2',
    },
  }
}

/** A named pipe in its place must not block this process. */
function readAuthority(file: string): Buffer {
  const stat = statSync(file)
  if (!stat.isFile() && !stat.isDirectory()) throw new Error('"ca" is not a regular file')
  return readFileSync(file)
}
