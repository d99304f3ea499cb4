import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeAuthority } from '../support/authority.ts'
import { buildProgram } from '../support/program.ts'
import { makeCertificate, startSmtpServer } from '../support/smtp.ts'
import { startChannel, withoutTls } from './_email.ts'
import { failureOf, makeMessage } from './_suite.ts'

describe('notifiers: email: encryption', () => {
  // This address reaches this machine, but does not count as loopback.
  const notLoopback = 'smtp://0.0.0.0'

  it('is not required from a server on this machine', async () => {
    const { send, received } = await startChannel({ server: withoutTls })
    await send()
    expect(received[0]?.secure).toBe(false)
  })

  it('is used with any certificate if a server on this machine offers it', async () => {
    const { send, received } = await startChannel()
    await send()
    expect(received[0]?.secure).toBe(true)
  })

  it('is required from any other server', async () => {
    const { send, received } = await startChannel({ server: withoutTls, url: notLoopback })
    const error = await failureOf(send())
    expect(error).toMatchObject({
      verdict: 'retry',
      hint: expect.stringContaining('allowInsecure'),
    })
    expect(received).toHaveLength(0)
  })

  it('is not required with `allowInsecure`', async () => {
    const options = { allowInsecure: true }
    const { send, received } = await startChannel({
      server: withoutTls,
      url: notLoopback,
      options,
    })
    await send()
    expect(received[0]?.secure).toBe(false)
  })

  it.each([false, true])(
    'requires a valid certificate of a remote server, with allowInsecure: %s',
    async (allowInsecure) => {
      const { send, received } = await startChannel({
        url: notLoopback,
        options: { allowInsecure },
      })
      expect((await failureOf(send())).message).toMatch(/certificate/)
      expect(received).toHaveLength(0)
    },
  )

  it('requires a valid certificate with smtps, even on this machine', async () => {
    const { send, received } = await startChannel({
      server: { secure: true },
      url: 'smtps://localhost',
    })
    expect(await failureOf(send())).toMatchObject({ verdict: 'retry' })
    expect(received).toHaveLength(0)
  })

  it.each(['smtp', 'smtps'])('trusts an authority of the configuration with %s', async (scheme) => {
    const authority = await makeAuthority()
    onTestFinished(authority.remove)
    const certificate = await authority.issue('IP:0.0.0.0')
    const { send } = await startChannel({
      server: { ...certificate, secure: scheme === 'smtps' },
      url: `${scheme}://0.0.0.0`,
    })
    const hint = expect.stringContaining('extraCaFile')
    expect(await failureOf(send())).toMatchObject({ verdict: 'retry', hint })
    expect(await send({}, { extraCaFile: authority.file })).toBe('250 2.0.0 Ok: queued as 4F2A')
  })

  it.each([
    ['issueExpired', 'IP:0.0.0.0', 'certificate has expired', 'clock'],
    ['issue', 'DNS:mail.example.com', 'does not match', 'host name'],
  ] as const)('leads to a hint for a bad certificate: %s %s', async (how, name, fault, next) => {
    const authority = await makeAuthority()
    onTestFinished(authority.remove)
    const certificate = await authority[how](name)
    const { send } = await startChannel({ server: certificate, url: notLoopback })
    expect(await failureOf(send({}, { extraCaFile: authority.file }))).toMatchObject({
      verdict: 'retry',
      message: expect.stringContaining(fault),
      hint: expect.stringContaining(next),
    })
  })

  it('leads to an error in words if the TLS versions do not match', async () => {
    const { send } = await startChannel({
      server: { secure: true, maxVersion: 'TLSv1', minVersion: 'TLSv1' },
      url: 'smtps://127.0.0.1',
    })
    expect((await failureOf(send())).message).toBe('email: TLS: tlsv1 alert protocol version')
  })

  it.each([
    { host: 'localhost', env: {}, outcome: '250 2.0.0 Ok: queued as 4F2A' },
    { host: '127.0.0.1', env: {}, outcome: 'does not match' },
    { host: '127.0.0.1', env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, outcome: 'does not match' },
  ])('checks the host name in the certificate: $host $env', async ({ host, env, outcome }) => {
    const { file, cert, key } = await makeCertificate('localhost')
    const { port } = await startSmtpServer({ secure: true, cert, key })
    const channel = { smtp: `smtps://${host}:${port}`, from: 'a@x.test', to: ['b@x.test'] }
    expect(await sendInChild(channel, { ...env, NODE_EXTRA_CA_CERTS: file })).toContain(outcome)
  })
})

/** Sends in a new process, because trusted authorities are read when a process starts. */
async function sendInChild(channel: object, env: object): Promise<string> {
  const program = await buildProgram('test/notifiers/_mail-sender.ts')
  const data = [makeMessage(), channel].map((value) => JSON.stringify(value))
  const options = { env: { ...process.env, ...env } }
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...data], options)
  return stdout
}
