import { createHash } from 'node:crypto'
import type { SendMailOptions } from 'nodemailer'
import * as z from 'zod'
import { isLoopback } from './_network.ts'
import { smtpAnswer, smtpCredentials, smtpFailure } from './_smtp-answer.ts'
import { boundLine, boundText, escapeMarkup, markupToken, originOf } from './_text.ts'
import { defineNotifier, type Message } from './define.ts'

const SUBJECT_LENGTH = 200
const BODY_LENGTH = 100_000

// The schema is what keeps commas, groups and line breaks out of the envelope.
const address = z.email({
  pattern: z.regexes.html5Email,
  error: 'must be one address such as me@example.com',
})

const smtpUrl = z
  .url({ protocol: /^smtps?$/, error: 'must be an smtps or smtp URL' })
  .refine((url) => !URL.canParse(url) || isPlainServer(new URL(url)), {
    error: 'must be smtps://user:password@host:port, percent-encoded, with nothing behind the port',
  })

const options = z.strictObject({
  smtp: smtpUrl
    .describe('Mail server, such as smtps://user:password@mail.example.com')
    .meta({ secret: true }),
  from: address.describe('Address of the sender'),
  to: z.array(address).min(1).max(50).describe('Addresses of the recipients'),
  allowInsecure: z
    .boolean()
    .default(false)
    .describe('With smtp://, also send when the server offers no encryption'),
  subjectPrefix: z.string().max(50).default('').describe('Text before each subject'),
})

export const email = defineNotifier({
  name: 'email',
  title: 'Email (SMTP)',
  options,
  markup: 'html',
  concurrency: 2,
  async send(message, channel, { signal }) {
    const { createTransport } = await import('nodemailer')
    const server = new URL(channel.smtp)
    try {
      const transport = createTransport(transportOptions(server, channel.allowInsecure))
      return smtpAnswer(
        await transport.sendMail({ ...renderMail(message, channel), signal }),
        server,
      )
    } catch (error) {
      throw smtpFailure(error, server, signal)
    }
  },
})

function isPlainServer(url: URL): boolean {
  try {
    smtpCredentials(url)
  } catch {
    return false
  }
  return url.hostname !== '' && ['', '/'].includes(url.pathname) && url.search + url.hash === ''
}

function transportOptions(server: URL, allowInsecure: boolean) {
  const local = isLoopback(server.hostname)
  const secure = server.protocol === 'smtps:'
  const { user, password } = smtpCredentials(server)
  return {
    host: server.hostname.replace(/^\[|\]$/g, ''),
    port: Number(server.port) || (secure ? 465 : 587),
    secure,
    requireTLS: !(secure || local || allowInsecure),
    // Mail servers on this machine have self-signed certificates, and nobody is in between.
    // Said in full, because NODE_TLS_REJECT_UNAUTHORIZED changes what is left out.
    tls: { rejectUnauthorized: secure || !local },
    ...(user && { auth: { user, pass: password } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Only strings and address objects: nodemailer reads files and parses lists from anything else. */
function renderMail(message: Message, channel: z.output<typeof options>): SendMailOptions {
  const { from, to, subjectPrefix } = channel
  const domain = `hookbell.${from.split('@').at(-1)}`
  const title = boundLine(`${subjectPrefix} ${message.title}`, SUBJECT_LENGTH) || 'hookbell'
  const thread = threadId(message, domain)
  return {
    from: { name: 'hookbell', address: from },
    to: to.map((recipient) => ({ name: '', address: recipient })),
    subject: title,
    text: renderText(message),
    html: renderHtml(message, title),
    messageId: `<${message.id.replace(/[^\w.~-]/g, '-')}@${domain}>`,
    ...(thread && { inReplyTo: thread, references: thread }),
    date: Number.isNaN(Date.parse(message.at)) ? new Date() : new Date(message.at),
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

/** One thread for each session: all its mails answer a first mail that was never sent. */
function threadId({ client, sessionId }: Message, domain: string): string | undefined {
  if (!sessionId) return undefined
  const hash = createHash('sha256').update(`${client}\0${sessionId}`).digest('hex').slice(0, 24)
  return `<session-${hash}@${domain}>`
}

function renderText(message: Message): string {
  const parts = [message.title, message.body].filter((part) => part !== '')
  // Mail programs know a line of two dashes and a space as the start of the small print.
  return boundText(`${parts.join('\n\n')}\n\n-- \n${originOf(message).join(' · ')}`, BODY_LENGTH)
}

function renderHtml(message: Message, title: string): string {
  const body = message.markup || `<p>${escapeMarkup(message.body).replaceAll('\n', '<br>\n')}</p>`
  return `<!doctype html>
<html>
<head><meta charset="utf-8"><title>${escapeMarkup(title)}</title></head>
<body style="font: 15px/1.5 system-ui, sans-serif; max-width: 42em; margin: 1em auto; padding: 0 1em">
<h1 style="font-size: 1.2em">${escapeMarkup(boundLine(message.title, SUBJECT_LENGTH))}</h1>
${boundText(body, BODY_LENGTH, markupToken)}
<p style="color: #777; font-size: 0.85em">${escapeMarkup(originOf(message).join(' · '))}</p>
</body>
</html>
`
}
