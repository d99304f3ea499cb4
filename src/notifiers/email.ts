import type { SendMailOptions } from 'nodemailer'
import * as z from 'zod'
import { trusting } from '../connecting.ts'
import { isLoopback } from '../text/loopback.ts'
import { type Mailbox, mailboxFault, mailboxKey, parseMailbox } from '../text/mailbox.ts'
import { sha256 } from '../text/sha256.ts'
import { isSmtpUrl, SMTP_URL_FORM, smtpCredentials } from '../text/smtp-url.ts'
import { htmlMarkup } from './_markup.ts'
import { boundLine, boundText, escapeMarkup, markupToken, originOf, wayOnOf } from './_text.ts'
import { type ComposeContext, defineNotifier, type Message, type SendContext } from './define.ts'
import { onlyRefused, smtpAnswer, smtpFailure } from './email/smtp-answer.ts'
import { connectTo } from './email/smtp-connection.ts'

const SUBJECT_LENGTH = 200
const BODY_LENGTH = 100_000
const GREETING_MS = 20_000

// The second is for Exchange, which otherwise answers that somebody is away.
const automatic = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

// Only this schema keeps commas, groups and line breaks out of the SMTP envelope.
const address = z
  .string()
  .refine((text) => parseMailbox(text), { error: ({ input }) => mailboxFault(String(input)) })

const options = z.strictObject({
  smtp: z
    .string()
    // Spaces that were copied from a web page would become part of the host.
    .trim()
    .refine(isSmtpUrl, { error: `must be ${SMTP_URL_FORM}` })
    .describe('Mail server, such as smtps://user:password@mail.example.com')
    .meta({ secret: true }),
  from: address.describe('Address of the sender, also with a name: Agents <agents@example.com>'),
  to: z.array(address).min(1).max(50).describe('Addresses of the recipients, also with names'),
  allowInsecure: z
    .boolean()
    .default(false)
    .describe('With smtp://, also send when the server offers no encryption'),
  subjectPrefix: z.string().max(50).default('').describe('Text before each subject'),
})

type Channel = z.output<typeof options>

export const email = defineNotifier({
  name: 'email',
  title: 'Email (SMTP)',
  options,
  serverOption: 'smtp',
  markup: htmlMarkup,
  summarizes: true,
  leavesMachine: true,
  compose: composeMail,
  concurrency: 2,
  async send(message, channel, context) {
    const { signal, remaining } = context
    const to = withoutOthers(channel.to, remaining)
    if (to.length === 0)
      return 'Not sent again: the recipients without it were removed from the channel'
    const { createTransport } = await import('nodemailer')
    const server = new URL(channel.smtp)
    const envelope = { from: mailboxOf(channel.from), to: to.map(mailboxOf) }
    try {
      const transport = createTransport(await transportOptions(server, channel, context))
      const mail = mailOptions(message, channel, context)
      return smtpAnswer(await transport.sendMail({ ...mail, envelope, signal }), to, server)
    } catch (error) {
      const refused = remaining && onlyRefused(error)
      if (refused) return smtpAnswer(refused, to, server)
      const addresses = [envelope.from, ...envelope.to].map(({ address }) => address)
      throw smtpFailure(error, { server, signal, addresses })
    }
  },
})

/** Those who lack the message, each person once. */
function withoutOthers(to: readonly string[], remaining = to): string[] {
  const missing = remaining.map(mailboxKey)
  const keys = to.map(mailboxKey)
  return to.filter((_, index) => {
    const key = keys[index] ?? ''
    return missing.includes(key) && keys.indexOf(key) === index
  })
}

/** Parses an address that the schema has accepted. */
function mailboxOf(text: string): Mailbox {
  return parseMailbox(text) ?? { name: '', address: '' }
}

async function transportOptions(
  server: URL,
  { allowInsecure }: Channel,
  context: Pick<SendContext, 'signal' | 'extraCaFile'>,
) {
  const local = isLoopback(server.hostname)
  const secure = server.protocol === 'smtps:'
  const { user, password } = smtpCredentials(server)
  const host = server.hostname.replace(/^\[|\]$/g, '')
  const port = Number(server.port) || (secure ? 465 : 587)
  return {
    host,
    port,
    connection: await connectTo({ host, port, secure }, context),
    secure,
    secured: secure,
    requireTLS: !(secure || local || allowInsecure),
    // Mail servers on this machine have self-signed certificates, and nobody can intercept loopback.
    // Always set, because NODE_TLS_REJECT_UNAUTHORIZED changes the default.
    tls: { rejectUnauthorized: secure || !local, ...trusting(context.extraCaFile) },
    ...(user && { auth: { user, pass: password } }),
    // A server that asks a slow DNS who connects is silent for this long.
    connectionTimeout: GREETING_MS,
    greetingTimeout: GREETING_MS,
    // Later, because its error says less.
    socketTimeout: GREETING_MS + 5000,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Only strings and address objects: from other values nodemailer may read files or parse lists. */
function mailOptions(message: Message, channel: Channel, context: SendContext): SendMailOptions {
  const { from, to } = channel
  const { headers, body: text, html } = composeMail(message, channel, context)
  const thread = headers['In-Reply-To']
  const sender = mailboxOf(from)
  return {
    from: { name: sender.name || 'hookbell', address: sender.address },
    to: to.map(mailboxOf),
    subject: headers.Subject,
    text,
    html,
    messageId: headers['Message-ID'],
    ...(thread && { inReplyTo: thread, references: thread }),
    date: new Date(headers.Date),
    headers: automatic,
  }
}

function composeMail(
  message: Message,
  { from, to, subjectPrefix }: Channel,
  { now, delivery }: Pick<ComposeContext, 'now' | 'delivery'>,
) {
  const sender = mailboxOf(from)
  const domain = `hookbell.${sender.address.split('@').at(-1)}`
  const title = boundLine(`${subjectPrefix} ${message.title}`, SUBJECT_LENGTH) || 'hookbell'
  const thread = threadId(message, domain)
  const at = Number.isNaN(Date.parse(message.at)) ? now : Date.parse(message.at)
  const headers = {
    From: sender.name ? from : `hookbell <${sender.address}>`,
    To: to.join(', '),
    Subject: title,
    'Message-ID': `<${mailId(message, delivery?.events)}@${domain}>`,
    ...(thread && { 'In-Reply-To': thread, References: thread }),
    Date: new Date(at).toUTCString(),
    ...automatic,
  }
  return { headers, body: renderText(message, now), html: renderHtml(message, title, now) }
}

/** Some servers drop a second mail with the same id. The first event of a summary may have been mailed alone before. */
function mailId({ id }: Message, events: readonly string[] = []): string {
  const safe = id.replace(/[^\w.~-]/g, '-')
  return events.length > 1 ? `${safe}-${sha256(events.join('\0')).slice(0, 24)}` : safe
}

/** One thread per session: all its mails reply to a first mail that was never sent. */
function threadId({ client, sessionId }: Message, domain: string): string | undefined {
  if (!sessionId) return undefined
  const hash = sha256(`${client}\0${sessionId}`).slice(0, 24)
  return `<session-${hash}@${domain}>`
}

function renderText(message: Message, now: number): string {
  const parts = [message.title, message.body].filter((part) => part !== '')
  const small = smallPrint(message, now).join('\n')
  // Mail programs treat a line of two dashes and a space as the start of the signature.
  return boundText(`${parts.join('\n\n')}\n\n-- \n${small}`, BODY_LENGTH)
}

/** Where the message comes from, and below it how to go on. */
function smallPrint(message: Message, now: number): string[] {
  const facts = [originOf(message, now).join(' · '), wayOnOf(message)]
  return facts.filter((fact) => fact !== '')
}

function renderHtml(message: Message, title: string, now: number): string {
  const body = message.markup || `<p>${escapeMarkup(message.body).replaceAll('\n', '<br>\n')}</p>`
  const small = smallPrint(message, now).map(escapeMarkup).join('<br>\n')
  return `<!doctype html>
<html>
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escapeMarkup(title)}</title></head>
<body style="font: 15px/1.5 system-ui, sans-serif; max-width: 42em; margin: 1em auto; padding: 0 1em; overflow-wrap: break-word">
<h1 style="font-size: 1.2em">${escapeMarkup(boundLine(message.title, SUBJECT_LENGTH))}</h1>
${boundText(body, BODY_LENGTH, markupToken)}
<p style="color: #777; font-size: 0.85em; border-top: 1px solid #8884; padding-top: 0.6em; margin-top: 1.6em">${small}</p>
</body>
</html>
`
}
