import type { Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { connecting, trusting } from '../../connecting.ts'
import type { SendContext } from '../define.ts'

const CONNECT_MS = 10_000

interface Server {
  host: string
  port: number
  /** Encrypted from the start. */
  secure: boolean
}

/**
 * Connects to a mail server. nodemailer itself would ask only the DNS, even for `localhost` and for names in the hosts
 * file, and would trust whoever answers as much as this machine.
 */
export async function connectTo(
  server: Server,
  { signal, extraCaFile }: Pick<SendContext, 'signal' | 'extraCaFile'>,
): Promise<Socket> {
  const { host, port, secure } = server
  const options = { host, port, ...connecting }
  const socket = secure
    ? process
        .getBuiltinModule('node:tls')
        .connect({ ...options, ...trusting(extraCaFile), rejectUnauthorized: true })
    : process.getBuiltinModule('node:net').connect(options)
  addAbortSignal(signal, socket)
  const tooLate = () => socket.destroy(new Error(`no connection within ${CONNECT_MS / 1000} s`))
  socket.setTimeout(CONNECT_MS, tooLate)
  await new Promise<void>((resolve, reject) => {
    socket.once(secure ? 'secureConnect' : 'connect', resolve)
    // Stays: an error without a listener would end the process.
    socket.on('error', reject)
  })
  return socket.setTimeout(0).off('timeout', tooLate)
}
