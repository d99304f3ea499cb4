import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Composed, Message, Notifier, SendContext } from '../../src/notifiers/define.ts'
import { notifiers } from '../../src/notifiers/index.ts'
import { missingDesktopPrograms, startDesktop } from '../support/desktop.ts'
import { makeFolder } from '../support/folder.ts'
import { hasPty, startPty } from '../support/pty.ts'
import { startReceiver } from '../support/receiver.ts'
import { shellQuote } from '../support/shell-quote.ts'
import { startSmtpServer } from '../support/smtp.ts'
import { makeContext, makeMessage } from './_suite.ts'

const message = makeMessage({
  title: 'shop: done in 4 min and asks you 😀',
  body: 'Shall I <remove> "it" & C:\\new?\n\nSecond paragraph.',
  markup: '',
  sessionId: '7d3f9a52-6c1e',
  origin: {
    label: 'Retry webhooks',
    project: 'shop',
    branch: 'main',
    host: 'build-3',
    reply: 'hookbell reply 7d3f9a52-6c1e "…"',
  },
})
/** Two hours after the message. */
const now = Date.parse(message.at) + 2 * 3_600_000

/** Composes and sends the same message with a registered notifier. @returns the composed one */
async function composeAndSend(
  type: keyof typeof notifiers,
  options: object,
  { at, ...context }: Partial<SendContext> & { at?: string } = {},
) {
  const notifier: Notifier = notifiers[type]
  const parsed = notifier.options.parse(options)
  const told: Message = { ...message, ...(at && { at }) }
  const full = makeContext({ now, ...context })
  const composed: Composed | undefined = await notifier.compose?.(told, parsed, full)
  await notifier.send(told, parsed, full)
  return composed ?? expect.fail(`${type} composes nothing`)
}

describe('a composed message', () => {
  it('names a session without a name once in a mail, by the start of its id', async () => {
    const unnamed = { ...message, origin: { ...message.origin, label: '7d3f9a52' } } as Message
    const options = { smtp: 'smtp://127.0.0.1', from: 'a@example.com', to: ['b@example.com'] }
    const { email } = notifiers
    const channel = email.options.parse(options)
    const composed = await email.compose?.(unnamed, channel, { now, attempt: 1 })
    expect(composed?.body).toMatch(
      /\n-- \n7d3f9a52 · claude · main · on build-3 · 2026[^·]*\nhookbell reply 7d3f9a52-6c1e "…"$/,
    )
  })

  it.each([
    ['discord', (url: string) => ({ url }), '{"id":"1"}'],
    ['slack', (url: string) => ({ url }), 'ok'],
    [
      'ntfy',
      (server: string) => ({ server, topic: 'agents', tags: ['robot'] }),
      '{"id":"x","event":"message"}',
    ],
    ['gotify', (server: string) => ({ server, token: 'AbCdEf' }), '{"id":1,"appid":2}'],
    ['teams', (url: string) => ({ url }), ''],
    [
      'telegram',
      (server: string) => ({ server, token: `1:${'a'.repeat(30)}`, chat: 1, topic: 2 }),
      '{"ok":true,"result":{"message_id":1,"chat":{"id":1}}}',
    ],
  ] as const)('is identical to the sent one for %s', async (type, options, body) => {
    const { url, received } = await startReceiver({ script: [{ status: 200, body }] })
    const composed = await composeAndSend(type, options(url))
    expect(JSON.parse(received[0]?.body ?? '')).toEqual(composed.body)
  })

  it.each([
    [{}, 'application/json'],
    [{ body: '{{ title }}\n{{ body }}' }, 'text/plain'],
  ])(
    'is identical to the sent one for a webhook, except for secret headers: %j',
    async (body, contentType) => {
      const { url, received } = await startReceiver()
      const headers = { Authorization: 'Bearer canary' }
      const composed = await composeAndSend('webhook', {
        url,
        headers,
        allowPrivateNetwork: true,
        ...body,
      })
      expect(received[0]?.body).toBe(composed.body)
      expect(received[0]?.headers).toMatchObject({
        ...composed.headers,
        authorization: 'Bearer canary',
      })
      expect(composed.headers).toMatchObject({
        authorization: '[redacted]',
        'content-type': contentType,
      })
    },
  )

  it('is identical to the sent one for an email', async () => {
    const { port, received } = await startSmtpServer({ disabledCommands: ['STARTTLS'] })
    const smtp = `smtp://127.0.0.1:${port}`
    const { headers, body, html } = await composeAndSend('email', {
      smtp,
      from: 'bell@example.com',
      to: ['me@example.com', 'you@example.com'],
    })
    const [{ mail } = expect.fail('no mail')] = received
    expect([mail.text?.trimEnd(), mail.html?.trimEnd()]).toEqual([
      String(body).trimEnd(),
      html?.trimEnd(),
    ])
    const got = new Map(mail.headers.map(({ key, value }) => [key, value]))
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (name === 'Subject') expect(mail.subject).toBe(value)
      else if (name === 'Date') expect(Date.parse(got.get('date') ?? '')).toBe(Date.parse(value))
      else expect(got.get(name.toLowerCase())).toBe(value)
    }
  })

  it('is identical to the sent one for a file', async () => {
    const path = join(await makeFolder(), 'lines')
    const { body } = await composeAndSend('file', { path })
    expect(readFileSync(path, 'utf8')).toBe(body)
  })

  it.runIf(process.platform !== 'win32')('is identical to the sent one for a command', async () => {
    const path = join(await makeFolder(), 'input')
    const { body } = await composeAndSend('command', {
      argv: ['sh', '-c', `cat > ${shellQuote(path)}`],
    })
    expect(readFileSync(path, 'utf8')).toBe(body)
  })

  it.skipIf(missingDesktopPrograms().length > 0)(
    'is identical to the sent one for a desktop',
    async () => {
      const screen = await startDesktop()
      try {
        const { body } = await composeAndSend('desktop', {}, { sessionEnv: screen.env })
        await screen.caughtUp()
        const [{ title, body: shown } = expect.fail('nothing shown')] = screen.notices
        const { args } = body as { args: string[] }
        // notify-send resolves the backslashes of the body.
        expect([title, shown]).toEqual([args.at(-2), args.at(-1)?.replaceAll('\\\\', '\\')])
        expect(shown).toContain('Retry webhooks · main · 2 h ago')
      } finally {
        await screen.close()
      }
    },
  )

  it.skipIf(!hasPty)('is identical to the sent one for a terminal', async () => {
    const pty = await startPty()
    const at = new Date().toISOString()
    const options = { mode: 'osc99' }
    const { body } = await composeAndSend('terminal', options, {
      at,
      sessionEnv: { HOOKBELL_TTY: pty.tty },
    })
    const { title, body: text } = body as { title: string; body: string }
    const shown = () =>
      [...pty.received().matchAll(/e=1;([\w+/=]*)/g)].map(([, base64 = '']) =>
        Buffer.from(base64, 'base64').toString(),
      )
    await expect.poll(shown).toEqual([title, text.replace(/\s+/g, ' ')])
  })

  it('exists for every notifier', () => {
    const all: Notifier[] = Object.values(notifiers)
    expect(all.filter(({ compose }) => !compose).map(({ name }) => name)).toEqual([])
  })
})
