import { certificateHint, innermost, WITHOUT_ENCRYPTION } from '../../connecting.ts'
import { mailboxKey } from '../../text/mailbox.ts'
import { smtpCredentials } from '../../text/smtp-url.ts'
import { answerLine } from '../_network.ts'
import { DeliveryError, type Sent, tooLate } from '../define.ts'

// Gmail says so when the mails of the last 24 hours are used up: later ones get through.
const DAY_IS_FULL = /^[^:]*: 550[ -]5\.4\.5 /
const LOGIN_REQUIRED = 530
/** What a server may say that passes mails on only after a login. */
const WANTS_LOGIN = /: 530[ -]|: [45]\d\d[ -][45]\.7\.[01] /
const REFUSED_SENDER = /^Mail command failed: 5|SendAsDenied|not auth\w+ to send/i
const UNREACHABLE = /getaddrinfo|ECONNREFUSED|ETIMEDOUT|no connection within|^Greeting never/

/**
 * Failures that say nothing about the mail, even with a status of 5xx: something in between may have removed STARTTLS, and
 * a server that refuses the connection (or EHLO) may take mails from another network, or tomorrow.
 */
const aboutTheNetwork = ['ETLS', 'EPROTOCOL']

interface Accepted {
  response: string
  rejectedErrors?: readonly Refused[]
}

interface Attempt {
  server: URL
  signal: AbortSignal
  /** Of the sender and the recipients. */
  addresses: readonly string[]
}

interface Refused {
  recipient?: string | undefined
  response?: string | undefined
  responseCode?: number | undefined
}

/**
 * The server's answer to a mail that was accepted for some recipients, with those that it refused. All of them remain
 * if it may accept one of them later, so that the last answer names those that it has refused for good.
 */
export function smtpAnswer(
  { response, rejectedErrors = [] }: Accepted,
  to: readonly string[],
  server: URL,
): Sent {
  if (rejectedErrors.length === 0) return cleanAnswer(response, server)
  const refused = rejectedErrors.map((one) => `${one.recipient}: ${one.response}`).join(', ')
  const answer = cleanAnswer(`${response} (refused: ${refused})`, server)
  if (rejectedErrors.every(({ responseCode = 0 }) => responseCode >= 500)) return answer
  const keys = rejectedErrors.map(({ recipient = '' }) => mailboxKey(recipient))
  return { answer, remaining: to.filter((one) => keys.includes(mailboxKey(one))) }
}

/** The refusal of all recipients who lack a mail that others have, which is no fault of the server; otherwise undefined. */
export function onlyRefused(error: unknown): Accepted | undefined {
  const { rejectedErrors } = Object(error) as Pick<Accepted, 'rejectedErrors'>
  return rejectedErrors && { response: 'The others have it', rejectedErrors }
}

/**
 * The verdict on a mail that was not accepted. The original error is not kept as the cause:
 * it holds the dialogue, and so the credentials where a server repeats them.
 */
export function smtpFailure(error: unknown, { server, signal, addresses }: Attempt): DeliveryError {
  if (signal.aborted) return tooLate('email', signal)
  const { code, status } = smtpStatus(error)
  // nodemailer repeats some answers.
  const text = cleanAnswer(innermost(error).replace(/\. response=(.*): \1$/s, ': $1'), server)
  const permanent = !aboutTheNetwork.includes(code) && status >= 500 && !DAY_IS_FULL.test(text)
  return new DeliveryError(permanent ? 'give-up' : 'retry', `email: ${text}`, {
    hint: hintFor(code, text, server) ?? hintForUtf8(code, addresses),
    retryAfterMs: DAY_IS_FULL.test(text) ? 3_600_000 : undefined,
    // A refused mail says nothing about the next one; a refused or missing login does.
    isChannelDead: permanent && (code === 'EAUTH' || status === LOGIN_REQUIRED),
  })
}

function hintFor(code: string, text: string, { protocol, username }: URL): string | undefined {
  if (text === WITHOUT_ENCRYPTION) return 'Use smtp://, which requires encryption too'
  if (protocol === 'smtp:' && /^Greeting never/.test(text)) {
    return 'Use smtps:// if the server expects encryption from the start, as on port 465'
  }
  if (code === 'EENVELOPE' && username === '' && WANTS_LOGIN.test(text))
    return 'The smtp URL has no user and password, which this server may require'
  if (username !== '' && REFUSED_SENDER.test(text))
    return 'The server may require a "from" that belongs to the user in the smtp URL'
  const known = answerHints.find(([pattern]) => pattern.test(text))?.[1]
  return known ?? certificateHint(text) ?? hints.get(code)
}

const answerHints: [answer: RegExp, hint: string][] = [
  [
    UNREACHABLE,
    'Check the network, and host and port in the smtp URL; usual are 465 for smtps:// and 587 for smtp://',
  ],
  [
    /^Invalid greeting: \D/,
    'No mail is sent by this port; usual are 465 for smtps:// and 587 for smtp://',
  ],
  [
    /: 535[ -].*basic authentication is disabled|SmtpClientAuthentication is disabled/i,
    'This provider takes no password from programs: its administrator has to allow SMTP AUTH, or use another mail server',
  ],
]

const hints = new Map([
  ['EAUTH', 'Check user and password in the smtp URL; many providers want an app password'],
  ['ETLS', 'Use smtps://, or set allowInsecure if this server has no encryption'],
])

function hintForUtf8(code: string, addresses: readonly string[]): string | undefined {
  return code === 'EENVELOPE' && addresses.some((one) => /[^ -~]/.test(one))
    ? 'The server may take only ASCII letters before the @ of an address: it needs SMTPUTF8 for others'
    : undefined
}

function smtpStatus(error: unknown): { code: string; status: number } {
  const { code, responseCode } = Object(error) as { code?: unknown; responseCode?: unknown }
  // Without a response, nodemailer itself found no way to log in.
  const fallback = code === 'EAUTH' ? 535 : 0
  return { code: String(code), status: typeof responseCode === 'number' ? responseCode : fallback }
}

function cleanAnswer(text: string, server: URL): string {
  const { user, password } = smtpCredentials(server)
  const secrets = [password, user].filter((secret) => secret !== '')
  return answerLine(withoutEncoded(text, secrets), secrets)
}

/** Some servers repeat a failed AUTH as it was sent: user and password together, in base64. */
function withoutEncoded(text: string, secrets: readonly string[]): string {
  return text.replace(/[A-Za-z0-9+/]{4,}={0,2}/g, (token) => {
    const decoded = Buffer.from(token, 'base64').toString()
    return secrets.some((secret) => decoded.includes(secret)) ? '[redacted]' : token
  })
}
