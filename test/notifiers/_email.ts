import type { Message, SendContext } from '../../src/notifiers/define.ts'
import { email } from '../../src/notifiers/email.ts'
import { startSmtpServer } from '../support/smtp.ts'
import { makeContext, makeMessage } from './_suite.ts'

export const withoutTls = { disabledCommands: ['STARTTLS'] }

export interface Setup {
  server?: Parameters<typeof startSmtpServer>[0]
  /** The URL of the server up to the port. */
  url?: string
  options?: object
}

/** Starts a server and creates a channel to it. */
export async function startChannel({
  server = {},
  url = 'smtp://127.0.0.1',
  options = {},
}: Setup = {}) {
  const { port, received } = await startSmtpServer(server)
  return { send: makeSend(`${url}:${port}`, options), received }
}

export function makeSend(smtp: string, options: object = {}) {
  const base = { smtp, from: 'bell@example.com', to: ['me@example.com'] }
  const channel = email.options.parse({ ...base, ...options })
  return (fields?: Partial<Message>, context?: Partial<SendContext>) =>
    email.send(makeMessage(fields), channel, makeContext(context))
}
