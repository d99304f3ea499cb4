import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startHubProcess } from '../hub-server/_fleet.ts'
import { handOver, toWebhook } from '../hub-server/_hub.ts'
import { hasRedis, startRedis } from '../support/redis.ts'

/** Accepts messages and responds only when `answer` is called. */
async function startPatientReceiver() {
  const taken: string[] = []
  const open: ServerResponse[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    taken.push(body.match(/title of (\w+)/)?.[1] ?? '')
    open.push(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const answer = () => open.splice(0).map((response) => response.end('ok'))
  return { url: `http://127.0.0.1:${port}`, taken, answer }
}

async function startBusyHub() {
  const [redis, receiver] = [await startRedis(), await startPatientReceiver()]
  const settings = { url: redis.url() }
  const start = () => startHubProcess(settings, toWebhook(receiver.url))
  const hub = await start()
  await handOver(redis, 'one')
  await handOver(redis, 'two')
  await expect.poll(() => receiver.taken).toEqual(['one'])
  return { redis, receiver, start, hub }
}

const statesOf = ({ lines }: Awaited<ReturnType<typeof startHubProcess>>, state: string) =>
  lines().filter((line) => line.state === state)

describe.skipIf(!hasRedis)('command hub: signals', () => {
  it.each([
    ['SIGTERM', 1],
    // As npm passes on what the terminal also sends to the hub itself. Signals that are still pending are combined.
    ['several within a moment', 50],
  ])(
    'exits on %s after the delivery in progress and leaves the next message waiting',
    async (_, signals) => {
      const { redis, receiver, start, hub } = await startBusyHub()
      for (let count = 0; count < signals; count += 1) hub.child.kill('SIGTERM')
      // The router releases its lease as soon as the shutdown begins.
      await expect.poll(() => redis.ask('EXISTS', 'hb:router')).toBe(0)
      expect(hub.child.exitCode).toBeNull()
      receiver.answer()
      expect(await hub.exited).toBe(0)
      expect(statesOf(hub, 'delivered')).toHaveLength(1)
      expect(receiver.taken).toEqual(['one'])
      const next = await start()
      await expect.poll(() => receiver.taken).toEqual(['one', 'two'])
      receiver.answer()
      await expect.poll(() => statesOf(next, 'delivered')).toHaveLength(1)
    },
  )

  it('exits at once on later signals', async () => {
    const { hub } = await startBusyHub()
    const again = setInterval(() => hub.child.kill('SIGTERM'), 50)
    onTestFinished(() => clearInterval(again))
    expect(await hub.exited).toBe(1)
  })

  it('reloads its configuration on SIGHUP and delivers each message once', async () => {
    const { receiver, hub } = await startBusyHub()
    hub.child.kill('SIGHUP')
    // The old configuration finishes the delivery in progress; either one may take the next message.
    receiver.answer()
    await expect.poll(() => receiver.taken).toEqual(['one', 'two'])
    receiver.answer()
    await expect.poll(() => statesOf(hub, 'reloaded')).toHaveLength(1)
    await expect.poll(() => statesOf(hub, 'delivered')).toHaveLength(2)
    expect(receiver.taken).toEqual(['one', 'two'])
  })
})
