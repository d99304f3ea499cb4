import { connect, isIP } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { certificateHint, connecting, innermost, trusting } from '../connecting.ts'
import { notifierOfType } from '../notifiers/index.ts'
import { type Check, check, type Facts } from './check.ts'

const LIMIT_MS = 5000

interface Server {
  host: string
  port: number
  /** Whether the connection begins with TLS. */
  isEncrypted: boolean
}

/**
 * Checks whether the server of each channel accepts a connection. Nothing is sent: the connection is closed once it is
 * open, with TLS once the certificate is verified.
 */
export async function checkReach({ loaded }: Facts, limitMs = LIMIT_MS): Promise<Check[]> {
  const { channels, extraCaFile } = loaded.config
  const attempts = Object.entries(channels).map(async ([name, channel]) => {
    const server = serverOf(channel)
    return server
      ? [await tryServer(`channel.${name}.reach`, server, { extraCaFile, limitMs })]
      : []
  })
  return (await Promise.all(attempts)).flat()
}

/** The server of a channel that sends over the network. Only host and port are taken: the URL may be a secret. */
function serverOf(channel: Facts['loaded']['config']['channels'][string]): Server | undefined {
  const option = notifierOfType(channel.type)?.serverOption
  const text: unknown = option && Object(channel)[option]
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined
  const { protocol, hostname, port } = new URL(text)
  const [usual, isEncrypted] = usualPorts[protocol] ?? [0, false]
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return { host, port: Number(port) || usual, isEncrypted }
}

const usualPorts: { [protocol: string]: [port: number, isEncrypted: boolean] } = {
  'https:': [443, true],
  'http:': [80, false],
  'smtps:': [465, true],
  'smtp:': [587, false],
}

async function tryServer(
  id: string,
  server: Server,
  options: { extraCaFile: string | undefined; limitMs: number },
): Promise<Check> {
  const place = `${server.host}:${server.port}`
  const startedAt = performance.now()
  try {
    await open(server, options)
    const ms = Math.round(performance.now() - startedAt)
    return check(id, 'ok', `${place} takes a connection, ${ms} ms`)
  } catch (error) {
    const fault = innermost(error)
    const what =
      certificateHint(fault) ??
      'Check the network, and the name, port and certificate of the server'
    return check(id, 'broken', `${place}: ${fault}`, what)
  }
}

function open(
  { host, port, isEncrypted }: Server,
  { extraCaFile, limitMs }: { extraCaFile: string | undefined; limitMs: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const name = isIP(host) === 0 ? { servername: host } : {}
    const socket = isEncrypted
      ? tlsConnect({ host, port, ...connecting, ...name, ...trusting(extraCaFile) })
      : connect({ host, port, ...connecting })
    const end = (settle: () => void) => {
      clearTimeout(timer)
      socket.destroy()
      settle()
    }
    const timer = setTimeout(
      () => end(() => reject(new Error(`no answer within ${limitMs / 1000} s`))),
      limitMs,
    )
    socket.once('error', (error) => end(() => reject(error)))
    socket.once(isEncrypted ? 'secureConnect' : 'connect', () => end(resolve))
  })
}
