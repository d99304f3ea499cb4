import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDelivery } from '../support/delivery.ts'
import { deadOf, listShown, parkedOf } from '../support/parked.ts'
import { makeWorld, type World } from '../worker/_world.ts'

/** Writes a delivery as earlier builds did. */
function writeOld({ stateDir }: World, folder: string, event: string, more: object = {}) {
  const delivery = makeDelivery(event)
  const text = JSON.stringify({
    format: 'hookbell-delivery 1',
    since: 0,
    reason: 'x',
    isHeld: false,
    delivery,
    ...more,
  })
  const path = join(stateDir, 'spool', folder)
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, `${delivery.id}.json`), text, { mode: 0o600 })
}

describe('deliveries of earlier builds', () => {
  it('are sent, wait on, or stay dead', async () => {
    const world = makeWorld()
    const notBefore = Date.now() + 3600_000
    writeOld(world, 'deferred', 'due')
    writeOld(world, 'cards', 'claimed')
    writeOld(world, 'dead', 'dead')
    writeOld(world, 'deferred', 'held', {
      isHeld: true,
      delivery: { ...makeDelivery('held'), notBefore },
    })
    await world.once()
    const sent = world.lines().map(({ id }) => id)
    expect(sent.sort()).toEqual(['claimed', 'due'])
    expect(parkedOf(world.spool, 'held.file')).toMatchObject({ isHeld: true })
    expect(deadOf(world.spool, 'dead.file')?.reason).toBe('x')
    expect(readdirSync(join(world.stateDir, 'spool/deferred'))).toEqual([])
    expect(readdirSync(join(world.stateDir, 'spool/corrupt'))).toEqual([])
  })
  it('keep what is still shown of them', async () => {
    const world = makeWorld()
    const about = {
      session: 's',
      client: 'claude',
      sessionId: 's1',
      kind: 'permission',
      at: Date.now(),
    }
    const text = { questions: [], sessionEnv: {}, takenUntil: 2 }
    const shown = ['e1', 'e2'].map((event) => {
      return { ...about, ...text, event, channel: 'phone', handle: `h-${event}` }
    })
    const path = join(world.stateDir, 'shown.json')
    writeFileSync(path, JSON.stringify({ format: 1, shown }))
    writeFileSync(join(world.stateDir, 'own-channels.json'), '{}')
    await world.once()
    expect(listShown(world.spool).map(({ handle }) => handle)).toEqual(['h-e1', 'h-e2'])
    expect(readdirSync(world.stateDir).filter((name) => /^(shown|own-)/.test(name))).toEqual([])
  })
})
