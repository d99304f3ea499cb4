import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CurrentConfig } from '../../src/config/current.ts'
import type { Facts } from '../../src/doctor/check.ts'
import { checkReach } from '../../src/doctor/reach.ts'
import { makeAuthority } from '../support/authority.ts'
import { startDeafServer } from '../support/deaf-server.ts'
import { makeHome } from '../support/home.ts'
import { startSmtpServer } from '../support/smtp.ts'

const PATIENT_MS = 60_000

async function reach(config: object, limitMs = PATIENT_MS) {
  const home = await makeHome(config)
  const loaded = new CurrentConfig(home.env.HOOKBELL_CONFIG_DIR, home.state).get()
  expect(loaded.problem).toBeUndefined()
  return checkReach({ loaded } as Facts, limitMs)
}

/** Collects the received bytes, which must stay empty. */
async function startServer(cert?: { cert: Buffer; key: Buffer }) {
  const received: Buffer[] = []
  const names: string[] = []
  const SNICallback = (name: string, done: (error: Error | null) => void) => {
    names.push(name)
    done(null)
  }
  const server = cert ? createTlsServer({ ...cert, SNICallback }) : createServer()
  server.on(cert ? 'secureConnection' : 'connection', (socket) => {
    socket.on('data', (chunk: Buffer) => void received.push(chunk))
    socket.on('error', () => {})
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, received, names }
}

describe('the check whether a channel is reachable', () => {
  it('opens a connection and sends no data', async () => {
    const { port, received } = await startServer()
    const [one] = await reach({
      channels: { phone: { type: 'ntfy', server: `http://127.0.0.1:${port}`, topic: 'none' } },
    })
    expect(one).toMatchObject({
      id: 'channel.phone.reach',
      status: 'ok',
      seen: expect.stringMatching(
        new RegExp(`^127\\.0\\.0\\.1:${port} takes a connection, \\d+ ms$`),
      ),
    })
    expect(received).toEqual([])
  })

  it('names the server and the error of a refused connection, without the password', async () => {
    const { port } = await startServer()
    const url = `smtp://me:hidden-word@127.0.0.1:1`
    const checks = await reach({
      channels: {
        mail: { type: 'email', smtp: url, from: 'a@example.com', to: ['b@example.com'] },
        phone: { type: 'ntfy', server: `http://127.0.0.1:${port}`, topic: 'none' },
      },
    })
    expect(checks.map(({ id, status }) => [id, status])).toEqual([
      ['channel.mail.reach', 'broken'],
      ['channel.phone.reach', 'ok'],
    ])
    expect(checks[0]?.seen).toContain('127.0.0.1:1: ')
    expect(checks[0]?.seen).toContain('ECONNREFUSED')
    expect(JSON.stringify(checks)).not.toContain('hidden-word')
  })

  it('names the error where several addresses were tried', async () => {
    const channels = { phone: { type: 'ntfy', server: 'http://localhost:1', topic: 'none' } }
    const [one] = await reach({ channels })
    expect(one?.seen).toMatch(/^localhost:1: .*ECONNREFUSED/)
  })

  it('gives up on a server that does not respond', async () => {
    const port = await startDeafServer()
    const [one] = await reach(
      { channels: { phone: { type: 'ntfy', server: `http://127.0.0.1:${port}`, topic: 'none' } } },
      200,
    )
    expect(one).toMatchObject({
      status: 'broken',
      seen: `127.0.0.1:${port}: no answer within 0.2 s`,
    })
  })

  it('trusts a certificate of the configured authority, and no unknown one', async () => {
    const authority = await makeAuthority()
    onTestFinished(() => authority.remove())
    const { port } = await startServer(await authority.issue('IP:127.0.0.1'))
    const channels = { phone: { type: 'ntfy', server: `https://127.0.0.1:${port}`, topic: 'none' } }
    const [unknown] = await reach({ channels })
    expect(unknown).toMatchObject({
      status: 'broken',
      seen: expect.stringContaining('certificate'),
      do: expect.stringContaining('extraCaFile'),
    })
    expect(await reach({ channels, extraCaFile: authority.file })).toMatchObject([{ status: 'ok' }])
  })

  const mail = (smtp: string) => ({
    ...{ type: 'email', smtp, from: 'a@example.com', to: ['b@example.com'] },
  })
  const phone = (server: string) => ({ type: 'ntfy', server, topic: 'none' })

  it.each<[string, object]>([
    ['127.0.0.1:443', { type: 'slack', url: 'https://127.0.0.1/services/x' }],
    ['127.0.0.1:443', { type: 'webhook', url: 'https://127.0.0.1/x' }],
    ['127.0.0.1:80', phone('http://127.0.0.1')],
    ['127.0.0.1:465', mail('smtps://127.0.0.1')],
    ['127.0.0.1:587', mail('smtp://127.0.0.1')],
    ['::1:1', phone('http://[::1]:1')],
  ])('connects to %s for %j', async (place, channel) => {
    const [one] = await reach({ channels: { one: channel } }, 1000)
    // Only the address matters: something may listen there, or nothing.
    expect(one?.seen.slice(0, place.length + 1)).toMatch(/[: ]$/)
    expect(one?.seen.slice(0, place.length)).toBe(place)
  })

  it('reports a server that does not use TLS on a port for smtps', async () => {
    const { port } = await startSmtpServer({ disabledCommands: ['STARTTLS'] })
    const [one] = await reach({ channels: { mail: mail(`smtps://127.0.0.1:${port}`) } })
    expect(one).toMatchObject({
      status: 'broken',
      seen: `127.0.0.1:${port}: it answers without encryption`,
    })
  })

  it('begins with TLS for smtps, but not for smtp', async () => {
    const { port, received } = await startServer()
    const channels = {
      plain: mail(`smtp://127.0.0.1:${port}`),
      encrypted: mail(`smtps://127.0.0.1:${port}`),
    }
    expect((await reach({ channels }, 1000)).map(({ status }) => status)).toEqual(['ok', 'broken'])
    // The first bytes of a handshake.
    await expect.poll(() => Buffer.concat(received)[0]).toBe(22)
  })

  it('sends the name of the server, which may have several certificates', async () => {
    const authority = await makeAuthority()
    onTestFinished(() => authority.remove())
    const { port, names } = await startServer(await authority.issue('DNS:localhost'))
    const channels = { phone: phone(`https://localhost:${port}`) }
    expect(await reach({ channels, extraCaFile: authority.file })).toMatchObject([{ status: 'ok' }])
    expect(names).toEqual(['localhost'])
  })

  it('skips a channel that stays on this machine', async () => {
    expect(await reach({ channels: { audit: { type: 'file', path: '~/audit.jsonl' } } })).toEqual(
      [],
    )
  })
})
