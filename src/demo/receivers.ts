import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

interface SlackMessage {
  text: string
  blocks: { type: string; text?: { text: string }; elements?: { text: string }[] }[]
}

export interface Mail {
  subject: string
  text: string
  to: string
}

export interface Receivers {
  slackUrl: string
  smtpUrl: string
  slack: SlackMessage[]
  mails: Mail[]
  close(): void
}

/** Starts a receiver that answers like Slack, and a mail server, on this machine only. */
export async function startReceivers(): Promise<Receivers> {
  const slack: SlackMessage[] = []
  const mails: Mail[] = []
  const web = await listen(
    createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      slack.push(JSON.parse(Buffer.concat(chunks).toString()))
      response.end('ok')
    }),
  )
  const { SMTPServer } = await import('smtp-server')
  const { default: PostalMime } = await import('postal-mime')
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    async onData(stream, _session, done) {
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(chunk)
      const { subject = '', text = '', to = [] } = await PostalMime.parse(Buffer.concat(chunks))
      mails.push({ subject, text, to: to.map(({ address }) => address).join(', ') })
      done()
    },
  })
  const mailServer = await listen(smtp.server as Server)
  return {
    slackUrl: `http://127.0.0.1:${web}/services/T000/B000/demo`,
    smtpUrl: `smtp://127.0.0.1:${mailServer}`,
    slack,
    mails,
    close() {
      smtp.close(() => {})
    },
  }

  async function listen(server: Server): Promise<number> {
    server.listen(0, '127.0.0.1').unref()
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
}
