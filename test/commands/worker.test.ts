import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeAuthority } from '../support/authority.ts'
import { quietHoursElsewhere } from '../support/far-zone.ts'
import { makeHome, root } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'
import { shellQuote } from '../support/shell-quote.ts'

const commands = [['worker', '--once'], ['flush'], ['resume'], ['drain', '--timeout', '1h']]

/** A home with a waiting event. For `resume`, everything is on hold. */
async function makeWaiting(channel: object, [command]: readonly string[]) {
  const routes = [{ on: ['*'], to: ['one'] }]
  const home = await makeHome({ channels: { one: channel }, routes, lingerSeconds: 0 })
  if (command === 'resume') await home.run('hold')
  home.accept({ hook_event_name: 'Stop' })
  return home
}

/** An https server with a certificate that nobody trusts. */
async function startUntrusted() {
  const authority = await makeAuthority()
  const server = createServer(await authority.issue('IP:127.0.0.1'))
  let requests = 0
  server.on('request', (_, response) => {
    requests += 1
    response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await authority.remove()
  })
  const { port } = server.address() as AddressInfo
  return { url: `https://127.0.0.1:${port}/`, requests: () => requests }
}

describe('every command that delivers', () => {
  it.runIf(process.platform !== 'win32').each(commands)(
    'refuses a state folder that others can write to: %s',
    async (...words) => {
      const home = await makeWaiting({ type: 'file', path: '~/out.jsonl' }, words)
      // Writable by others, not only by the group: a group of one user would be safe.
      chmodSync(home.state, 0o777)
      const { exitCode, stderr } = await home.run(...words)
      expect(exitCode).toBeGreaterThan(0)
      expect(stderr).toContain(`chmod go-w ${shellQuote(home.state)}`)
      expect(existsSync(join(home.home, 'out.jsonl'))).toBe(false)
      expect(readdirSync(join(home.state, 'spool/new'))).toHaveLength(1)
      chmodSync(home.state, 0o700)
      expect(await home.run(...words)).toMatchObject({ exitCode: 0 })
      expect(home.read('out.jsonl')).toContain('"event":"Stop"')
    },
  )

  it.each(commands)(
    'checks certificates although the shell disables that: %s',
    async (...words) => {
      const { url, requests } = await startUntrusted()
      const home = await makeWaiting({ type: 'webhook', url }, words)
      Object.assign(home.env, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })
      // `drain` retries until its time is over. In one second it may not get to an attempt, so it is polled.
      const brief = words.map((word) => (word === '1h' ? '1s' : word))
      await expect
        .poll(async () => {
          await home.run(...brief)
          return (await home.run('log')).stdout
        })
        .toMatch(/waiting .* one \(deferred\)$/m)
      expect(requests()).toBe(0)
    },
  )

  it.each(commands)(
    'keeps the quiet hours by the clock of the machine, whatever TZ says: %s',
    async (...words) => {
      const { noise, TZ } = quietHoursElsewhere()
      const home = await makeWaiting({ type: 'file', path: '~/out.jsonl', noise: true }, words)
      await home.writeConfig(
        JSON.stringify({ ...JSON.parse(home.read('config/config.json')), noise }),
      )
      Object.assign(home.env, { TZ })
      await home.run(...words)
      expect(home.read('out.jsonl')).toContain('"event":"Stop"')
    },
  )

  it('checks certificates although the shell disables that: test', async () => {
    const { url, requests } = await startUntrusted()
    const home = await makeHome({ channels: { one: { type: 'webhook', url } } })
    Object.assign(home.env, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })
    const { exitCode, stderr } = await home.run('test', 'one')
    expect(exitCode).toBeGreaterThan(0)
    expect(stderr).toContain('certificate')
    expect(requests()).toBe(0)
  })

  it.runIf(process.platform !== 'win32').each(commands)(
    'releases its claims when it is stopped: %s',
    async (...words) => {
      const { url, received } = await startReceiver({ script: ['blackhole'] })
      const home = await makeWaiting({ type: 'webhook', url }, words)
      const child = execa(process.execPath, [join(root, 'bin/hookbell'), ...words], {
        ...{ env: home.env, extendEnv: false, reject: false },
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      await expect.poll(() => received.length).toBe(1)
      child.kill('SIGTERM')
      expect(await child).toMatchObject({ exitCode: words[0] === 'worker' ? 0 : 1 })
      // The suffix shows that a worker had claimed the event, and that none crashed with it.
      expect(readdirSync(join(home.state, 'spool/new'))).toEqual([expect.stringMatching(/~0$/)])
    },
  )
})

describe('the program of the worker, started by itself', () => {
  it('checks certificates although its environment disables that', async () => {
    const { url, requests } = await startUntrusted()
    const home = await makeWaiting({ type: 'webhook', url }, [])
    const env = { ...home.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' }
    const worker = [join(root, 'dist/worker.cjs')]
    const child = execa(process.execPath, worker, { env, extendEnv: false, reject: false })
    onTestFinished(() => void child.kill('SIGKILL'))
    await expect
      .poll(async () => (await home.run('log')).stdout)
      .toMatch(/(waiting .* one \(deferred\)|delivered .*)$/m)
    expect(requests()).toBe(0)
  })
})
