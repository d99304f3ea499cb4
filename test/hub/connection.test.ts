import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type HubServer, RedisConnection } from '../../src/hub/connection.ts'
import { explainFailure } from '../../src/hub/explain.ts'
import { makeAuthority } from '../support/authority.ts'
import { startFakeRedis } from '../support/fake-redis.ts'
import { makeFolder } from '../support/folder.ts'
import { hasRedis, startRedis } from '../support/redis.ts'

/** The reply to a ping, or the explanation of its failure. */
async function outcomeOf(settings: Partial<HubServer> & { url: string }) {
  const connection = new RedisConnection({ allowUnencrypted: false, ...settings })
  onTestFinished(() => connection.close())
  return await connection.call('PING').then(String, explainFailure)
}

const NOT_TRUSTED = 'its certificate is not trusted: set "ca" to the file of its authority'

async function startWithTls(issue: 'issue' | 'issueExpired', name = 'IP:127.0.0.1') {
  const authority = await makeAuthority()
  onTestFinished(() => authority.remove())
  const redis = await startRedis({ tls: await authority[issue](name) })
  return { url: redis.url(), ca: authority.file }
}

it('hub: a named pipe as the file of the authority is rejected without waiting for its content', async () => {
  const ca = join(await makeFolder(), 'ca.pem')
  execFileSync('mkfifo', [ca])
  // Writes an empty text to a process that opens the pipe to read. Without it, a failing test would hang.
  const writer = spawn('sh', ['-c', `: > '${ca}'`])
  onTestFinished(() => void writer.kill('SIGKILL'))
  expect(await outcomeOf({ url: 'rediss://127.0.0.1:1', ca })).toBe('"ca" is not a regular file')
})

describe.skipIf(!hasRedis)('hub: the connection', () => {
  it('trusts the configured certificate authority', async () => {
    expect(await outcomeOf(await startWithTls('issue'))).toBe('PONG')
  })

  it('trusts the authorities of extraCaFile unless the hub has its own', async () => {
    const { url, ca: extraCaFile } = await startWithTls('issue')
    expect(await outcomeOf({ url, extraCaFile })).toBe('PONG')
    const other = await makeAuthority()
    onTestFinished(() => other.remove())
    expect(await outcomeOf({ url, extraCaFile, ca: other.file })).toBe(NOT_TRUSTED)
  })

  it('rejects an unknown certificate authority', async () => {
    const { url } = await startWithTls('issue')
    expect(await outcomeOf({ url })).toBe(NOT_TRUSTED)
  })

  it('rejects an expired certificate', async () => {
    expect(await outcomeOf(await startWithTls('issueExpired'))).toBe('its certificate has expired')
  })

  it('rejects a certificate for another name', async () => {
    const settings = await startWithTls('issue', 'DNS:elsewhere.example')
    expect(await outcomeOf(settings)).toBe('its certificate is for another name')
  })

  it('reports a missing file of the certificate authority', async () => {
    const { url } = await startWithTls('issue')
    expect(await outcomeOf({ url, ca: '/nowhere/ca.pem' })).toBe('the file of "ca" is not there')
    expect(await outcomeOf({ url, ca: '/tmp' })).toBe('"ca" is a folder, not a file')
  })

  it('reports a Redis that requires a certificate of the client', async () => {
    const authority = await makeAuthority()
    onTestFinished(() => authority.remove())
    const tls = await authority.issue('IP:127.0.0.1')
    const asking = ['--tls-auth-clients', 'yes', '--tls-ca-cert-file', authority.file]
    const redis = await startRedis({ tls, args: asking })
    expect(await outcomeOf({ url: redis.url(), ca: authority.file })).toBe(
      'Redis asks for a certificate of ours: set "tls-auth-clients no" there',
    )
  })

  it('reports that Redis has no connection left', async () => {
    const redis = await startRedis({ args: ['--maxclients', '1'] })
    await redis.ask('PING')
    expect(await outcomeOf({ url: redis.url() })).toContain('no connection left')
  })

  it('reports a server without TLS', async () => {
    const redis = await startRedis()
    const url = redis.url().replace('redis:', 'rediss:')
    expect(await outcomeOf({ url })).toBe('it does not speak TLS: redis:// or another port?')
  })

  it('matches the replies of concurrent calls', async () => {
    const redis = await startRedis()
    const connection = new RedisConnection(
      { url: redis.url(), allowUnencrypted: false },
      { maxReplyBytes: 8_000_000 },
    )
    onTestFinished(() => connection.close())
    const words = Array.from({ length: 2000 }, (_, index) => `${index}é${'x'.repeat(index)}`)
    const answers = await Promise.all(words.map((word) => connection.call('ECHO', word)))
    expect(answers).toEqual(words)
  })
})

describe('hub: a command', () => {
  type Read = (connection: RedisConnection) => Promise<unknown>
  const replies = {
    integer: ':3',
    text: '$1\r\nx',
    nothing: '$-1',
    'no list': '*-1',
    ok: '+OK',
    texts: '*2\r\n$1\r\na\r\n$1\r\nb',
    'empty list': '*0',
    integers: '*1\r\n:1',
    'a list with an error': '*1\r\n-ERR no',
    'a list in a list': '*2\r\n$1\r\n0\r\n*1\r\n$1\r\na',
  }
  const kinds: [string, Read, Partial<Record<keyof typeof replies, unknown>>][] = [
    ['a count', (one) => one.count('LLEN', 'k'), { integer: 3 }],
    [
      'a text',
      (one) => one.text('GET', 'k'),
      { text: 'x', nothing: null, 'no list': null, ok: 'OK' },
    ],
    ['texts', (one) => one.texts('HKEYS', 'k'), { texts: ['a', 'b'], 'empty list': [] }],
    [
      'texts if any',
      (one) => one.textsIfAny('EVAL', 'x'),
      { texts: ['a', 'b'], 'empty list': [], nothing: null, 'no list': null },
    ],
    [
      'a part of the keys',
      (one) => one.scan('0'),
      { 'a list in a list': { next: '0', keys: ['a'] } },
    ],
    ['that it is done', (one) => one.done('SET', 'k', 'v'), { ok: undefined }],
  ]

  it.each(kinds)('that replies with %s takes no other reply for it', async (_, read, allowed) => {
    for (const [name, reply] of Object.entries(replies)) {
      const { url, connections } = await startFakeRedis(([word]) =>
        word === 'PING' ? '+PONG\r\n' : `${reply}\r\n`,
      )
      const connection = new RedisConnection({ url, allowUnencrypted: false })
      onTestFinished(() => connection.close())
      const result = await read(connection).catch(explainFailure)
      const expected = Object.hasOwn(allowed, name)
        ? allowed[name as keyof typeof replies]
        : 'it does not speak the protocol of Redis'
      expect([name, result]).toEqual([name, expected])
      // The replies of such a connection may be those to other commands.
      expect(await connection.text('PING')).toBe('PONG')
      expect(connections()).toBe(Object.hasOwn(allowed, name) ? 1 : 2)
    }
  })
})

/** A server that answers only a ping, like one whose later replies are lost in the network. */
async function startSilentServer() {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      if (String(chunk).includes('PING')) socket.write('+PONG\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `redis://127.0.0.1:${port}` }
}

describe('hub: a connection to a server that stops answering', () => {
  const silenceMs = 2000

  it('is closed although other calls keep coming', async () => {
    const { url } = await startSilentServer()
    const connection = new RedisConnection({ url, allowUnencrypted: false }, { silenceMs })
    onTestFinished(() => connection.close())
    await connection.call('PING')
    const failures: string[] = []
    const call = () => connection.call('GET', 'one').catch((error) => failures.push(error.message))
    const first = call()
    let isOver = false
    const clock = setInterval(() => !isOver && void call(), 50)
    onTestFinished(() => clearInterval(clock))
    await first
    isOver = true
    expect(failures[0]).toBe('no answer')
    expect(await connection.call('PING')).toBe('PONG')
  })

  it('is kept open while no reply is expected', async () => {
    const { url } = await startSilentServer()
    const connection = new RedisConnection({ url, allowUnencrypted: false }, { silenceMs })
    onTestFinished(() => connection.close())
    await connection.call('PING')
    await sleep(silenceMs + 200)
    expect(await connection.call('PING')).toBe('PONG')
  })
})
