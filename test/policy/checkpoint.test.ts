import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtInConfig } from '../../src/config/load/load.ts'
import { appendEntry } from '../../src/journal/write.ts'
import { PolicyMemory } from '../../src/policy/checkpoint.ts'
import { noiseSettingsOf } from '../../src/policy/noise.ts'
import { makeWorld } from '../worker/_world.ts'

const at = Date.now()
const settings = { noise: noiseSettingsOf(builtInConfig().config), mutes: [], now: at }

/** The journal entry of an event whose duplicate is still expected. */
const firstOfPair = (id: string) => ({
  ...{ at, id, type: 'accepted' as const, acceptedAt: at, event: 'Stop', kind: 'done' },
  ...{ client: 'claude', sessionId: 's', project: '', title: 'x', to: ['file'] },
  fingerprint: 'the same',
})

/** The id of the event that the memory considers the original of a new event, if any. */
async function originalOf(memory: PolicyMemory): Promise<string | undefined> {
  const event = { id: 'second', at, fingerprint: 'the same', shared: true }
  return (await memory.get()).note(event as never, settings).duplicateOf
}

/** Writes the checkpoint, as a worker does when it ends. */
async function keepMemory(stateDir: string) {
  const memory = new PolicyMemory(stateDir)
  await memory.get()
  memory.keep()
}

describe('the memory of the policies', () => {
  it.each<[string, (path: string) => void]>([
    ['cannot be read', (path) => mkdirSync(path)],
    ['cannot be opened', (path) => symlinkSync(path, path)],
    ['is a pipe without a writer', (path) => void execFileSync('mkfifo', [path])],
  ])('is complete once a journal that %s can be read again', async (_, block) => {
    const { stateDir } = makeWorld()
    const journal = join(stateDir, 'journal.jsonl')
    await appendEntry(stateDir, firstOfPair('first'))
    renameSync(journal, `${journal}.kept`)
    block(journal)
    const memory = new PolicyMemory(stateDir)
    expect(await originalOf(memory)).toBeUndefined()
    rmSync(journal, { recursive: true })
    renameSync(`${journal}.kept`, journal)
    expect(await originalOf(memory)).toBe('first')
  })

  it('leaves no temporary file behind if it cannot be saved', async () => {
    const { stateDir } = makeWorld()
    await appendEntry(stateDir, firstOfPair('first'))
    mkdirSync(join(stateDir, 'policy-memory.json'))
    const before = readdirSync(stateDir)
    await keepMemory(stateDir)
    expect(readdirSync(stateDir)).toEqual(before)
  })

  it('survives a restart without reading the same part of the journal again', async () => {
    const { stateDir } = makeWorld()
    const journal = join(stateDir, 'journal.jsonl')
    await appendEntry(stateDir, firstOfPair('first'))
    await keepMemory(stateDir)
    // The size stays the same, so there are no new entries to read.
    writeFileSync(journal, ' '.repeat(statSync(journal).size))
    expect(await originalOf(new PolicyMemory(stateDir))).toBe('first')
  })

  it('is updated with the entries that the journal has gained since the checkpoint', async () => {
    const { stateDir } = makeWorld()
    await appendEntry(stateDir, { ...firstOfPair('older'), fingerprint: 'another' })
    await keepMemory(stateDir)
    await appendEntry(stateDir, firstOfPair('first'))
    expect(await originalOf(new PolicyMemory(stateDir))).toBe('first')
  })

  it('is updated with all entries of a journal that was begun after the checkpoint', async () => {
    const { stateDir } = makeWorld()
    const journal = join(stateDir, 'journal.jsonl')
    await appendEntry(stateDir, { ...firstOfPair('older'), fingerprint: 'another' })
    await keepMemory(stateDir)
    renameSync(journal, `${journal}.kept`)
    await appendEntry(stateDir, firstOfPair('first'))
    expect(await originalOf(new PolicyMemory(stateDir))).toBe('first')
  })

  it('is rebuilt from the journal if the checkpoint is of another version', async () => {
    const { stateDir } = makeWorld()
    const path = join(stateDir, 'policy-memory.json')
    await appendEntry(stateDir, firstOfPair('first'))
    await keepMemory(stateDir)
    const checkpoint = JSON.parse(readFileSync(path, 'utf8'))
    writeFileSync(path, JSON.stringify({ ...checkpoint, format: 99, state: {} }))
    expect(await originalOf(new PolicyMemory(stateDir))).toBe('first')
  })

  it.each([
    ...['', 'nonsense', '[]', '{"format":99,"state":{}}'],
    ...['{"format":1,"state":7}', '{"format":1,"state":null}'],
  ])('is rebuilt from the journal if the checkpoint contains %j', async (text) => {
    const { stateDir } = makeWorld()
    await appendEntry(stateDir, firstOfPair('first'))
    writeFileSync(join(stateDir, 'policy-memory.json'), text)
    expect(await originalOf(new PolicyMemory(stateDir))).toBe('first')
  })

  it('does not prevent a delivery if the checkpoint has invalid fields', async () => {
    const world = makeWorld()
    const state = { duplicates: 7 }
    const checkpoint = JSON.stringify({ format: 1, inode: 0, offset: 0, state })
    writeFileSync(join(world.stateDir, 'policy-memory.json'), checkpoint)
    world.accept({ message: 'hello' })
    await world.once()
    expect(world.lines()).toHaveLength(1)
  })

  it('is saved in a private file without the texts of messages', async () => {
    const world = makeWorld()
    const id = world.accept({ session_id: 's', message: 'what an agent said' })
    await world.once()
    const path = join(world.stateDir, 'policy-memory.json')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8')).toContain(id)
    expect(readFileSync(path, 'utf8')).not.toContain('agent said')
  })
})
