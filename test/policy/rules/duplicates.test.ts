import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { duplicates } from '../../../src/policy/rules/duplicates.ts'
import { builtWorker } from '../../support/program.ts'
import { exited, makeWorld, startProgram, type World } from '../../worker/_world.ts'

const stop = { hook_event_name: 'Stop', session_id: 's1', last_assistant_message: 'All green' }
const shared = { shared: true }
const copilotStop = { ...stop, transcript_path: '/x/.copilot/session-state/s1/events.jsonl' }
const claudeShared = { client: 'claude', ...shared }

async function outcomes(world: World, ids: string[]) {
  const statuses = await Promise.all(ids.map((id) => world.statusOf(id)))
  return statuses.map((status) => status?.outcome)
}

/** Events get acceptance times 10 ms apart, however long the test takes. */
let acceptedAt = Date.now()
function accept(world: World, event: object, more: object = {}) {
  const id = world.accept(event, more)
  acceptedAt += 10
  setAcceptedAt(world, id, acceptedAt)
  return id
}

function setAcceptedAt(world: World, id: string, at: number) {
  utimesSync(join(world.spool.new, id), at / 1000, at / 1000)
}

describe('an event that arrives from the hooks of the user and of the project', () => {
  it.each([
    ['the user', {}, shared, 'the hooks of the project'],
    ['the project', shared, {}, 'your own hooks'],
  ])(
    'is delivered once, and the second copy has a reason, when the hooks of %s run last',
    async (_, last, first, whose) => {
      const world = makeWorld()
      const told = accept(world, stop, first)
      const other = accept(world, stop, last)
      await world.once()
      expect(world.lines().map(({ id }) => id)).toEqual([told])
      expect(await world.statusOf(other)).toMatchObject({
        outcome: 'suppressed',
        reason: `the same event as ${told.slice(0, 8)}, from ${whose}`,
      })
      expect(world.list('new')).toEqual([])
    },
  )

  it.each<[string, object[]]>([
    ['in the project for two clients', [{ client: 'copilot', ...shared }, claudeShared]],
    ['everywhere', [{ client: 'copilot' }, { client: 'copilot', ...shared }, claudeShared]],
    ['everywhere, in another order', [claudeShared, { client: 'copilot' }]],
  ])('is delivered once if Copilot also runs the hooks of Claude Code: %s', async (_, sources) => {
    const world = makeWorld()
    for (const more of sources) accept(world, copilotStop, more)
    await world.once()
    expect(world.lines()).toHaveLength(1)
    // Each hook fires once per event, so this is the next event.
    for (const more of sources) accept(world, copilotStop, more)
    await world.once()
    expect(world.lines()).toHaveLength(2)
  })

  it('is delivered once although only one copy ends with a line break', async () => {
    const world = makeWorld()
    const text = JSON.stringify(stop)
    for (const id of [world.acceptRaw(text), world.acceptRaw(`${text}\n`, shared)])
      setAcceptedAt(world, id, acceptedAt)
    await world.once()
    expect(world.lines()).toHaveLength(1)
  })

  it('is delivered once by two workers, and a third copy counts as a new event', async () => {
    const world = makeWorld()
    accept(world, stop)
    await world.once()
    const other = accept(world, stop, shared)
    await world.once()
    expect(world.lines()).toHaveLength(1)
    expect(await outcomes(world, [other])).toEqual(['suppressed'])
    // The pair is complete, so the next event is a new one.
    accept(world, stop, shared)
    await world.once()
    expect(world.lines()).toHaveLength(2)
  })

  it('is delivered once although the worker is killed between the two copies', async () => {
    const world = makeWorld({ lingerSeconds: 600 })
    const told = accept(world, stop)
    const worker = startProgram(builtWorker, world)
    await expect.poll(() => world.lines().length).toBe(1)
    worker.kill('SIGKILL')
    await exited(worker)
    const other = accept(world, stop, shared)
    await world.once()
    // The first copy may be repeated, because the worker was killed before it recorded the delivery.
    expect(new Set(world.lines().map(({ id }) => id))).toEqual(new Set([told]))
    expect(await outcomes(world, [told, other])).toEqual(['delivered', 'suppressed'])
  })

  it('is delivered once although the worker is killed while it handles the second copy', async () => {
    const world = makeWorld()
    accept(world, stop)
    await world.once()
    const other = accept(world, stop, shared)
    const bytes = readFileSync(join(world.spool.new, other))
    await world.once()
    // The state after a crash: the decision is recorded, but nothing after it.
    const journal = join(world.stateDir, 'journal.jsonl')
    const lines = readFileSync(journal, 'utf8').trimEnd().split('\n')
    expect(lines.at(-1)).toContain('"suppressed"')
    writeFileSync(journal, `${lines.slice(0, -1).join('\n')}\n`)
    writeFileSync(join(world.spool.new, `${other}~1`), bytes)
    await world.once()
    expect(world.lines()).toHaveLength(1)
    expect(await outcomes(world, [other])).toEqual(['suppressed'])
  })

  it('is delivered twice if journal and checkpoint are lost', async () => {
    const world = makeWorld()
    accept(world, stop)
    await world.once()
    writeFileSync(join(world.stateDir, 'journal.jsonl'), '')
    writeFileSync(join(world.stateDir, 'checkpoint.json'), 'damaged')
    accept(world, stop, shared)
    await world.once()
    expect(world.lines()).toHaveLength(2)
  })
})

describe('similar events', () => {
  const twice = (count: number, more: object) => Array.from({ length: count }, () => more)

  it.each<[string, object[], number]>([
    ['from the same registration', [{}, {}, {}], 3],
    ['from the same registration of a project', twice(3, shared), 3],
    ['two of them, from two registrations in turn', [{}, shared, {}, shared], 2],
    ['two of them, from one registration after the other', [{}, {}, shared, shared], 2],
    ['two of them, of which one was seen by one registration only', [{}, shared, {}], 2],
    ['of two clients', [{ client: 'claude' }, { client: 'droid', ...shared }], 2],
  ])(
    'are delivered unless they are a pair of two registrations: %s',
    async (_, sources, expected) => {
      const world = makeWorld()
      for (const more of sources) accept(world, stop, more)
      await world.once()
      expect(world.lines()).toHaveLength(expected)
    },
  )

  it.each<[string, object, object]>([
    ['with another text', stop, { ...stop, last_assistant_message: 'Red' }],
    ['of another session', stop, { ...stop, session_id: 's2' }],
    ['of another type', stop, { ...stop, hook_event_name: 'SubagentStop' }],
    ['without a session', { ...stop, session_id: '' }, { ...stop, session_id: '' }],
  ])('are all delivered: %s', async (_, first, second) => {
    const world = makeWorld()
    accept(world, first)
    accept(world, second, shared)
    await world.once()
    expect(world.lines()).toHaveLength(2)
  })

  it('are all delivered if they are more than ten seconds apart', async () => {
    const world = makeWorld()
    const first = accept(world, stop)
    accept(world, stop, shared)
    setAcceptedAt(world, first, acceptedAt - 11_000)
    await world.once()
    expect(world.lines()).toHaveLength(2)
  })

  it.each([
    [10_000, 'first'],
    [-10_000, 'first'],
    [10_001, undefined],
    [-10_001, undefined],
  ])(
    'count as copies if they are at most ten seconds apart, in either order: %i ms',
    (apart, original) => {
      const told = { type: 'accepted', id: 'first', acceptedAt: 50_000, to: ['file'] }
      const copies = duplicates.restore(undefined)
      duplicates.fold?.(copies, { ...told, fingerprint: 'the same' } as never)
      const event = { id: 'second', at: 50_000 + apart, fingerprint: 'the same', shared: true }
      const { duplicateOf } = duplicates.note?.(event as never, copies, {} as never) ?? {}
      expect(duplicateOf).toBe(original)
    },
  )

  it('are delivered if the first one had no route yet', async () => {
    const world = makeWorld({ routes: [{ on: ['SessionEnd'], to: ['file'] }] })
    accept(world, stop)
    await world.once()
    world.configure({
      channels: { file: { type: 'file', path: world.outFile } },
      routes: [{ on: ['*'], to: ['file'] }],
      lingerSeconds: 0,
    })
    accept(world, stop, shared)
    await world.once()
    expect(world.lines()).toHaveLength(1)
  })
})
