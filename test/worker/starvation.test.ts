import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deliverTo } from '../../src/worker/run.ts'
import { startReceiver } from '../support/receiver.ts'
import { makeWorld, type World } from './_world.ts'

const permission = { hook_event_name: 'PermissionRequest', session_id: 'live', tool_name: 'Bash' }
const SOON_MS = 3000

/** Events that were there when a worker ended without a word. */
function leaveSuspects(world: World, count: number) {
  for (let index = 0; index < count; index += 1) {
    const event = { hook_event_name: 'Stop', session_id: `s${index}` }
    const text = `hookbell-event 1\nclient: claude\n\n${JSON.stringify(event)}`
    writeFileSync(join(world.spool.new, `suspect${index}~1`), text)
  }
}

/** How long it took until the file had the line. */
async function msUntilTold(world: World, id: string): Promise<number> {
  const acceptedAt = performance.now()
  await expect.poll(() => world.lines().map((line) => line.id)).toContain(id)
  return performance.now() - acceptedAt
}

describe('fifty events that may have ended a worker, with a slow channel', () => {
  it.each(['before', 'after'])('do not delay a permission question that comes %s', async (when) => {
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
    world.configure({ channels, routes, lingerSeconds: 0, deliveryTimeoutSeconds: 600 })
    const before = when === 'before' ? world.accept(permission) : ''
    leaveSuspects(world, 50)
    const running = world.untilIdle()
    if (before) expect(await msUntilTold(world, before)).toBeLessThan(SOON_MS)
    else {
      await expect.poll(() => world.list('new').length).toBeLessThan(50)
      expect(await msUntilTold(world, world.accept(permission))).toBeLessThan(SOON_MS)
    }
    world.configure({ channels: { file: channels.file }, routes: [], lingerSeconds: 0 })
    await close()
    await running
    expect(world.list('new')).toEqual([])
  })
})

describe('a hung receiver', () => {
  it('takes nothing with it but what is for it', async () => {
    const { url, close } = await startReceiver({ script: ['blackhole'] })
    const world = makeWorld()
    const hung = Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((name) => [name, { type: 'webhook', url: `${url}/${name}` }]),
    )
    const channels = { file: { type: 'file', path: world.outFile }, ...hung }
    const routes = [{ on: ['*'], to: Object.keys(channels) }]
    world.configure({ channels, routes, lingerSeconds: 0, deliveryTimeoutSeconds: 600 })
    for (let index = 0; index < 30; index += 1)
      world.accept({ session_id: 's', message: `${index}` })
    const running = world.untilIdle()
    await expect.poll(() => world.lines().length).toBe(30)
    const acceptedAt = performance.now()
    const id = world.accept({ session_id: 's', message: 'one more' })
    await expect.poll(() => world.lines().map((line) => line.id)).toContain(id)
    expect(performance.now() - acceptedAt).toBeLessThan(SOON_MS)
    world.configure({ channels: { file: channels.file }, routes: [], lingerSeconds: 0 })
    await close()
    await running
  })

  it('is not waited for by the test of another channel', async () => {
    const { url, received } = await startReceiver({ script: ['blackhole'] })
    const world = makeWorld()
    const channels = {
      file: { type: 'file', path: world.outFile },
      hung: { type: 'webhook', url },
    }
    world.configure({ channels, routes: [{ on: ['*'], to: ['hung'] }] })
    const waiting = Array.from({ length: 50 }, (_, index) => world.accept({ message: `${index}` }))
    const body = Buffer.from('{"hook_event_name":"Notification"}')
    const { id, faults } = await deliverTo('file', { client: 'hookbell', env: {} }, body, world)
    expect(faults).toEqual([])
    expect(world.lines().map((line) => line.id)).toEqual([id])
    expect(received).toEqual([])
    expect(world.list('new').sort()).toEqual(waiting.sort())
  })
})
