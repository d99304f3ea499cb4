import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'

interface ReceivedMail {
  from: string
  to: string[]
  secure: boolean
  /** Whether the sender asked for SMTPUTF8. */
  isUtf8: boolean
  user: string | undefined
  raw: string
  mail: Email
}

/** An error with an SMTP status. A callback of the server takes it to refuse a command. */
export function refusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode })
}

/** Starts a real SMTP server that keeps all mails. Closed at the end of the test. */
export async function startSmtpServer(options: SMTPServerOptions = {}) {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    // With a logger, the server would warn that the key of its built-in certificate is public.
    logger: false,
    onAuth: ({ username = '' }, _session, callback) => callback(null, { user: username }),
    onData: async (stream, session, callback) => {
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(chunk as Buffer)
      const raw = Buffer.concat(chunks)
      const { mailFrom, rcptTo } = session.envelope
      received.push({
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        secure: session.secure,
        isUtf8: Object(Object(mailFrom).args).SMTPUTF8 === true,
        user: session.user ? String(session.user) : undefined,
        raw: raw.toString(),
        mail: await PostalMime.parse(raw),
      })
      callback(null, '2.0.0 Ok: queued as 4F2A')
    },
    ...options,
  })
  // Ignores errors of clients that refuse the certificate or disconnect, which some tests cause on purpose.
  server.on('error', () => {})
  // Listens on all addresses, so that tests can use one that is not a loopback address.
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as AddressInfo
  return { port, received }
}

/** Makes a self-signed certificate for one host name. Clients trust it if they get its file as an authority. */
export async function makeCertificate(name: string) {
  const folder = await mkdtemp(join(tmpdir(), 'hookbell-certificate-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'cert.pem')
  const keyFile = join(folder, 'key.pem')
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const subject = ['-days', '2', '-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  const output = ['-keyout', keyFile, '-out', file]
  await promisify(execFile)('openssl', ['req', ...kind, ...subject, ...output])
  return { file, cert: await readFile(file), key: await readFile(keyFile) }
}
