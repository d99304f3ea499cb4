import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
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

interface Push {
  title: string
  message: string
}

export interface Receivers {
  slackUrl: string
  phoneUrl: string
  smtpUrl: string
  slack: SlackMessage[]
  phone: Push[]
  /** How many messages the phone was told to show no longer. */
  deleted: number
  mails: Mail[]
  /** While it is true, the receiver of Slack's messages answers 503. */
  slackIsDown: boolean
  close(): void
}

/** Starts receivers that answer like Slack and like ntfy, and a mail server, on this machine only. */
export async function startReceivers(): Promise<Receivers> {
  const slack: SlackMessage[] = []
  const mails: Mail[] = []
  const web = await listen(
    createServer(async (request, response) => {
      const body = await readBody(request)
      if (receivers.slackIsDown) return response.writeHead(503).end()
      slack.push(JSON.parse(body))
      return response.end('ok')
    }),
  )
  const push = await listen(
    createServer(async (request, response) => {
      const body = await readBody(request)
      if (request.method === 'DELETE') receivers.deleted += 1
      const message = request.method === 'DELETE' ? {} : JSON.parse(body)
      if (request.method !== 'DELETE') receivers.phone.push(message)
      const { sequence_id } = message as { sequence_id?: string }
      response.end(JSON.stringify({ id: 'demo', event: 'message', sequence_id }))
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
  const receivers: Receivers = {
    slackUrl: `http://127.0.0.1:${web}/services/T000/B000/demo`,
    smtpUrl: `smtp://127.0.0.1:${mailServer}`,
    phoneUrl: `http://127.0.0.1:${push}`,
    slack,
    slackIsDown: false,
    phone: [],
    deleted: 0,
    mails,
    close() {
      smtp.close(() => {})
    },
  }
  return receivers

  async function readBody(request: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }

  async function listen(server: Server): Promise<number> {
    server.listen(0, '127.0.0.1').unref()
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
}
