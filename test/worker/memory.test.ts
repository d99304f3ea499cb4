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
import { appendEntry } from '../../src/journal/journal.ts'
import { noiseSettingsOf } from '../../src/policy/noise.ts'
import { WorkerMemory } from '../../src/worker/memory.ts'
import { makeWorld } from './_world.ts'

const at = Date.now()
const settings = { noise: noiseSettingsOf(builtInConfig().config), mutes: [], now: at }

/** The journal entry of an event whose duplicate is still expected. */
const firstOfPair = (id: string) => ({
  ...{ at, id, type: 'accepted' as const, acceptedAt: at, event: 'Stop', kind: 'done' },
  ...{ client: 'claude', sessionId: 's', project: '', title: 'x', to: ['file'] },
  fingerprint: 'the same',
})

/** The id of the event that the memory considers the original of a new event, if any. */
async function originalOf(memory: WorkerMemory): Promise<string | undefined> {
  const event = { id: 'second', at, fingerprint: 'the same', shared: true }
  return (await memory.get()).note(event as never, settings).duplicateOf
}

/** Writes the checkpoint, as a worker does when it ends. */
async function keepMemory(stateDir: string) {
  const memory = new WorkerMemory(stateDir)
  await memory.get()
  memory.keep()
}

describe('the memory of a worker', () => {
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
    const memory = new WorkerMemory(stateDir)
    expect(await originalOf(memory)).toBeUndefined()
    rmSync(journal, { recursive: true })
    renameSync(`${journal}.kept`, journal)
    expect(await originalOf(memory)).toBe('first')
  })

  it('leaves no temporary file behind if it cannot be saved', async () => {
    const { stateDir } = makeWorld()
    await appendEntry(stateDir, firstOfPair('first'))
    mkdirSync(join(stateDir, 'checkpoint.json'))
    const before = readdirSync(stateDir)
    await keepMemory(stateDir)
    expect(readdirSync(stateDir)).toEqual(before)
  })

  it('is updated with the entries that the journal has gained since the checkpoint', async () => {
    const { stateDir } = makeWorld()
    await appendEntry(stateDir, { ...firstOfPair('older'), fingerprint: 'another' })
    await keepMemory(stateDir)
    await appendEntry(stateDir, firstOfPair('first'))
    expect(await originalOf(new WorkerMemory(stateDir))).toBe('first')
  })

  it('is updated with all entries of a journal that was begun after the checkpoint', async () => {
    const { stateDir } = makeWorld()
    const journal = join(stateDir, 'journal.jsonl')
    await appendEntry(stateDir, { ...firstOfPair('older'), fingerprint: 'another' })
    await keepMemory(stateDir)
    renameSync(journal, `${journal}.kept`)
    await appendEntry(stateDir, firstOfPair('first'))
    expect(await originalOf(new WorkerMemory(stateDir))).toBe('first')
  })

  it('has what was noted also if the journal cannot be written, and of another worker', () => {
    const { stateDir } = makeWorld()
    const [one, other] = [new WorkerMemory(stateDir), new WorkerMemory(stateDir)]
    one.note('dead channel', 'team', at)
    expect(other.notes.deadChannels).toEqual(['team'])
    rmSync(join(stateDir, 'journal.jsonl'))
    mkdirSync(join(stateDir, 'journal.jsonl'))
    one.note('dead channel', 'mail', at)
    expect(one.notes.deadChannels).toContain('mail')
  })

  it('does not prevent a delivery if the checkpoint has invalid fields', async () => {
    const world = makeWorld()
    await appendEntry(world.stateDir, firstOfPair('first'))
    await keepMemory(world.stateDir)
    const path = join(world.stateDir, 'checkpoint.json')
    const checkpoint = JSON.parse(readFileSync(path, 'utf8'))
    const rules = { duplicates: 7, sessions: { 'claude s': null } }
    const outcomes = {
      ...checkpoint.state.outcomes,
      events: [{ id: 'first' }],
      channels: [['file', 7]],
    }
    writeFileSync(path, JSON.stringify({ ...checkpoint, state: { rules, outcomes } }))
    world.accept({ message: 'hello' })
    await world.once()
    expect(world.lines()).toHaveLength(1)
  })

  it('is saved in a private file without the texts of messages', async () => {
    const world = makeWorld()
    const id = world.accept({ session_id: 's', message: 'what an agent said' })
    await world.once()
    const path = join(world.stateDir, 'checkpoint.json')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8')).toContain(id)
    expect(readFileSync(path, 'utf8')).not.toContain('agent said')
  })
})
