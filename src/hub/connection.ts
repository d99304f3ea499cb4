import { readFileSync } from 'node:fs'
import type { Socket, TcpNetConnectOpts } from 'node:net'
import type { ConnectionOptions as TlsOptions } from 'node:tls'
import { connecting, trusting } from '../connecting.ts'
import { expandHome } from '../fs/home.ts'
import { WITHOUT_TLS } from './explain.ts'
import { encodeCommand, isFromReplica, RedisError, type Reply, ReplyParser } from './resp.ts'
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
 * One connection to Redis, opened by the first call and again by the next call after it broke. Calls are sent in order
 * without waiting for each other. An open connection does not keep the process alive; a pending call does.
 */
export class RedisConnection {
  readonly #settings: HubServer
  readonly #maxReplyBytes: number
  readonly #silenceMs: number
  #socket: Socket | undefined
  #waiting: Call[] = []
  #silence: NodeJS.Timeout | undefined

  /** @param maxReplyBytes a longer reply breaks the connection, and so does a silence of `silenceMs` */
  constructor(settings: HubServer, { maxReplyBytes = 64 * 1024, silenceMs = SILENCE_MS } = {}) {
    this.#settings = settings
    this.#maxReplyBytes = maxReplyBytes
    this.#silenceMs = silenceMs
  }

  /** Sends one command. @throws RedisError for an error reply, anything else if there is no reply */
  call(...words: string[]): Promise<Reply> {
    return new Promise((resolve, reject) => {
      try {
        const socket = this.#open()
        // Only the first call that waits: others, such as one every ten seconds, must not put off the end.
        if (this.#waiting.length === 0) this.#silence?.refresh()
        this.#waiting.push({ resolve, reject })
        socket.ref()
        socket.write(encodeCommand(words))
      } catch (error) {
        reject(error)
      }
    })
  }

  close() {
    this.#socket?.destroy(new Error('closed'))
  }

  #open(): Socket {
    if (this.#socket && !this.#socket.destroyed) return this.#socket
    const socket = connect(endpointOf(this.#settings))
    const parser = new ReplyParser(this.#maxReplyBytes)
    this.#waiting = []
    const waiting = this.#waiting
    this.#socket = socket
    socket.setNoDelay()
    const isSecure = this.#settings.url.startsWith('rediss:')
    const connecting = setTimeout(() => {
      // A Redis without TLS waits for the rest of what it takes for a command.
      const isThere = isSecure && !socket.connecting
      fail(new Error(isThere ? WITHOUT_TLS : `no connection within ${CONNECT_MS / 1000} s`))
    }, CONNECT_MS)
    socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(connecting))
    // Not the timeout of the socket, which begins anew with each call.
    const silence = setTimeout(() => {
      if (waiting.length > 0) fail(new Error('no answer'))
    }, this.#silenceMs).unref()
    this.#silence = silence
    const fail = (error: unknown) => {
      clearTimeout(connecting)
      clearTimeout(silence)
      if (this.#socket === socket) this.#socket = undefined
      for (const { reject } of waiting.splice(0)) reject(error)
      socket.destroy()
    }
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('the connection was closed')))
    socket.on('timeout', () => {
      if (waiting.length === 0) socket.destroy()
    })
    socket.on('data', (chunk) => {
      silence.refresh()
      try {
        for (const reply of parser.push(chunk)) {
          settle(waiting.shift(), reply)
          // The name may lead to another server now, and this one would keep the connection open.
          if (reply instanceof RedisError && isFromReplica(reply)) return fail(reply)
        }
      } catch (error) {
        return fail(error)
      }
      if (waiting.length > 0) return
      socket.unref()
      socket.setTimeout(IDLE_MS)
    })
    this.#authenticate(socket, fail)
    return socket
  }

  #authenticate(socket: Socket, fail: (error: unknown) => void) {
    const { url, password } = this.#settings
    if (password === undefined) return
    const user = decodeURIComponent(new URL(url).username) || 'default'
    this.#waiting.push({ resolve: () => {}, reject: fail })
    socket.write(encodeCommand(['AUTH', user, password]))
  }
}

function settle(call: Call | undefined, reply: Reply) {
  if (reply instanceof RedisError) call?.reject(reply)
  else call?.resolve(reply)
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
      ...(file === undefined ? trusting(extraCaFile) : { ca: readFileSync(file) }),
      minVersion: 'TLSv1.2',
    },
  }
}
