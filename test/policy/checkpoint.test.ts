import { mkdirSync, readFileSync, renameSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtInConfig } from '../../src/config/load.ts'
import { appendEntry } from '../../src/journal/write.ts'
import { PolicyMemory } from '../../src/policy/checkpoint.ts'
import { noiseSettingsOf } from '../../src/policy/noise.ts'
import { makeWorld } from '../worker/_world.ts'

const at = Date.now()
const settings = { noise: noiseSettingsOf(builtInConfig().config), mutes: [], now: at }

/** What the journal says of an event that is one half of a pair. */
const told = (id: string) => ({
  ...{ at, id, type: 'accepted' as const, acceptedAt: at, event: 'Stop', kind: 'done' },
  ...{ client: 'claude', sessionId: 's', project: '', title: 'x', to: ['file'] },
  fingerprint: 'the same',
})

/** The event that the memory takes for the other half, if any. */
async function otherHalf(memory: PolicyMemory): Promise<string | undefined> {
  const event = { id: 'second', at, fingerprint: 'the same', shared: true }
  return (await memory.get()).note(event as never, settings).duplicateOf
}

describe('what the policies remember', () => {
  it('is there for the next event after one read of the journal failed', async () => {
    const { stateDir } = makeWorld()
    const journal = join(stateDir, 'journal.jsonl')
    await appendEntry(stateDir, told('first'))
    renameSync(journal, `${journal}.kept`)
    mkdirSync(journal)
    const memory = new PolicyMemory(stateDir)
    expect(await otherHalf(memory)).toBeUndefined()
    rmdirSync(journal)
    renameSync(`${journal}.kept`, journal)
    expect(await otherHalf(memory)).toBe('first')
  })

  it('survives a restart without a second look at what was read', async () => {
    const { stateDir } = makeWorld()
    const journal = join(stateDir, 'journal.jsonl')
    await appendEntry(stateDir, told('first'))
    const memory = new PolicyMemory(stateDir)
    await memory.get()
    memory.keep()
    // Of the same size, so that only what comes after it could be read.
    writeFileSync(journal, ' '.repeat(statSync(journal).size))
    expect(await otherHalf(new PolicyMemory(stateDir))).toBe('first')
  })

  it('is brought up to date from what the journal has gained since', async () => {
    const { stateDir } = makeWorld()
    await appendEntry(stateDir, { ...told('older'), fingerprint: 'another' })
    const memory = new PolicyMemory(stateDir)
    await memory.get()
    memory.keep()
    await appendEntry(stateDir, told('first'))
    expect(await otherHalf(new PolicyMemory(stateDir))).toBe('first')
  })

  it.each(['', 'nonsense', '[]', '{"format":1,"state":7}', '{"format":99,"state":{}}'])(
    'comes from the journal alone where the checkpoint says %j',
    async (text) => {
      const { stateDir } = makeWorld()
      await appendEntry(stateDir, told('first'))
      writeFileSync(join(stateDir, 'policy-memory.json'), text)
      expect(await otherHalf(new PolicyMemory(stateDir))).toBe('first')
    },
  )

  it('of another shape stops no delivery', async () => {
    const world = makeWorld()
    const state = { duplicates: 7 }
    const checkpoint = JSON.stringify({ format: 1, inode: 0, offset: 0, state })
    writeFileSync(join(world.stateDir, 'policy-memory.json'), checkpoint)
    world.accept({ message: 'hello' })
    await world.once()
    expect(world.lines()).toHaveLength(1)
  })

  it('is private and holds no text of a message', async () => {
    const world = makeWorld()
    const id = world.accept({ session_id: 's', message: 'what an agent said' })
    await world.once()
    const path = join(world.stateDir, 'policy-memory.json')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8')).toContain(id)
    expect(readFileSync(path, 'utf8')).not.toContain('agent said')
  })
})
