import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deliverTo } from '../../src/worker/run.ts'
import { builtWorker } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { makeWorld, startProgram, type World } from './_world.ts'

const DELIVERY_SECONDS = 600

const permission = { hook_event_name: 'PermissionRequest', session_id: 'live', tool_name: 'Bash' }

function leaveEvents(world: World, names: readonly string[], more: object = {}) {
  for (const name of names) {
    const event = { hook_event_name: 'Stop', session_id: name, ...more }
    const text = `hookbell-event 1\nclient: claude\n\n${JSON.stringify(event)}`
    writeFileSync(join(world.spool.new, name), text)
  }
}

/** Stores events that were claimed during one crash of a worker. */
function leaveSuspects(world: World, count: number) {
  leaveEvents(
    world,
    Array.from({ length: count }, (_, index) => `suspect${index}~1`),
  )
}

/** Waits until the file has the line. Would time out if this event waited for a hanging delivery (DELIVERY_SECONDS). */
async function expectTold(world: World, id: string) {
  await expect.poll(() => world.lines().map((line) => line.id)).toContain(id)
}

describe('fifty events that may have crashed a worker, for a hanging channel', () => {
  it.each(['before', 'after'])(
    'do not delay a permission question that arrives %s them',
    async (when) => {
      const { url, close } = await startReceiver({ script: ['blackhole'] })
      const world = makeWorld({ channels: { slow: { type: 'slack', url: `${url}/services/x` } } })
      const channels = {
        file: { type: 'file', path: world.outFile },
        slow: { type: 'slack', url: `${url}/services/x` },
      }
      const routes = [
        { on: ['PermissionRequest'], to: ['file'] },
        { on: ['Stop'], to: ['slow'] },
      ]
      world.configure({
        channels,
        routes,
        lingerSeconds: 0,
        deliveryTimeoutSeconds: DELIVERY_SECONDS,
      })
      const before = when === 'before' ? world.accept(permission) : ''
      leaveSuspects(world, 50)
      const running = world.untilIdle()
      if (before) await expectTold(world, before)
      else {
        await expect.poll(() => world.list('new').length).toBeLessThan(50)
        await expectTold(world, world.accept(permission))
      }
      world.configure({ channels: { file: channels.file }, routes: [], lingerSeconds: 0 })
      await close()
      await running
      expect(world.list('new')).toEqual([])
    },
  )
})

describe('an event that may have crashed a worker', () => {
  it('is started although earlier ones hang and nothing else wakes the worker', async () => {
    const { url, close, received } = await startReceiver({ script: ['blackhole'] })
    const world = makeWorld()
    const slow = { type: 'slack', url: `${url}/services/x` }
    const routes = [
      { on: ['PermissionRequest'], to: ['file'] },
      { on: ['Stop'], to: ['slow'] },
    ]
    const file = { type: 'file', path: world.outFile }
    const config = { channels: { file, slow }, routes, lingerSeconds: 0 }
    world.configure({ ...config, deliveryTimeoutSeconds: DELIVERY_SECONDS })
    leaveSuspects(world, 2)
    const running = world.untilIdle()
    await expect.poll(() => received.length).toBe(1)
    const text = `hookbell-event 1\nclient: claude\n\n${JSON.stringify(permission)}`
    writeFileSync(join(world.spool.new, 'late~1'), text)
    await expectTold(world, 'late')
    world.configure({ channels: { file }, routes: [], lingerSeconds: 0 })
    await close()
    await running
  })
})

describe('a hung receiver', () => {
  it('does not delay deliveries to other channels', async () => {
    const { url, close } = await startReceiver({ script: ['blackhole'] })
    const world = makeWorld()
    const hung = Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((name) => [name, { type: 'webhook', url: `${url}/${name}` }]),
    )
    const channels = { file: { type: 'file', path: world.outFile }, ...hung }
    const routes = [{ on: ['*'], to: Object.keys(channels) }]
    world.configure({
      channels,
      routes,
      lingerSeconds: 0,
      deliveryTimeoutSeconds: DELIVERY_SECONDS,
    })
    for (let index = 0; index < 30; index += 1)
      world.accept({ session_id: 's', message: `${index}` })
    const running = world.untilIdle()
    await expect.poll(() => world.lines().length).toBe(30)
    await expectTold(world, world.accept({ session_id: 's', message: 'one more' }))
    world.configure({ channels: { file: channels.file }, routes: [], lingerSeconds: 0 })
    await close()
    await running
  })

  it.each([
    ['', ['hung'], 2500],
    [' or for several of its kind', ['a', 'b', 'c'], 900],
  ])(
    'does not delay events for other channels, however many wait for it%s',
    async (_, hung, count) => {
      const { url } = await startReceiver({ script: ['blackhole'] })
      const world = makeWorld()
      const channels = {
        file: { type: 'file', path: world.outFile },
        ...Object.fromEntries(
          hung.map((name) => [name, { type: 'webhook', url: `${url}/${name}` }]),
        ),
      }
      const routes = [
        { on: ['PermissionRequest'], to: ['file'] },
        ...hung.map((name) => ({ on: ['Stop'], when: { project: [name] }, to: [name] })),
      ]
      world.configure({ channels, routes, deliveryTimeoutSeconds: DELIVERY_SECONDS })
      for (const name of hung) {
        const names = Array.from({ length: count }, (_, index) => `event-${name}-${index}`)
        leaveEvents(world, names, { cwd: `/srv/${name}` })
      }
      startProgram(builtWorker, world)
      await expect.poll(() => world.list('new').length).toBeLessThan(701)
      await expectTold(world, world.accept(permission))
    },
  )

  it('does not delay a test message to another channel', async () => {
    const { url, received } = await startReceiver({ script: ['blackhole'] })
    const world = makeWorld()
    const channels = {
      file: { type: 'file', path: world.outFile },
      hung: { type: 'webhook', url },
    }
    world.configure({ channels, routes: [{ on: ['*'], to: ['hung'] }] })
    const waiting = Array.from({ length: 50 }, (_, index) => world.accept({ message: `${index}` }))
    const body = Buffer.from('{"hook_event_name":"Notification"}')
    const { id, faults } = await deliverTo('file', { body, env: {} }, world)
    expect(faults).toEqual([])
    expect(world.lines().map((line) => line.id)).toEqual([id])
    expect(received).toEqual([])
    expect(world.list('new').sort()).toEqual(waiting.sort())
  })
})
