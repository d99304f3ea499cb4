import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noiseRules } from '../../src/config/schema/noise.ts'
import type { AcceptedEntry } from '../../src/journal/entry.ts'
import { Memory } from '../../src/policy/memory.ts'
import { runs } from '../support/runs.ts'
import { runTimeline } from '../support/timeline.ts'
import { timelines, turnsInstead } from './arbitrary.ts'

const everything = [{ on: ['*'], to: ['desktop'] }]
const quietHours = [
  { from: '00:00', to: '24:00', days: ['sat', 'sun'] },
  { from: '10:00', to: '11:00', timeZone: 'UTC' },
]
const noise = fc.record({
  minSeconds: fc.constantFrom(0, 15, 3600),
  burstSeconds: fc.constantFrom(0, 2, 60),
  cooldownSeconds: fc.constantFrom(0, 600),
  skipAtTerminal: fc.boolean(),
  quietHours: fc.constantFrom([], quietHours),
})

/** The events that were delivered. */
function toldIn({ pings }: ReturnType<typeof runTimeline>): Set<string> {
  return new Set(pings.flatMap(({ events }) => events))
}

describe('the noise rules, for any sequence of events', () => {
  it('drop a question only if it was already delivered or answered', () => {
    fc.assert(
      fc.property(timelines, noise, (events, settings) => {
        const run = runTimeline(events, { config: { routes: everything, noise: settings } })
        const told = toldIn(run)
        const answered = new Set(run.dropped.map(({ id }) => id))
        for (const { id, kind, repeatOf } of run.entries) {
          if (kind !== 'permission' || told.has(id)) continue
          const first = repeatOf ?? id
          expect(told.has(first) || answered.has(first), id).toBe(true)
        }
      }),
      { numRuns: runs(500) },
    )
  })

  it('drop a later step of a question only because of its end, as the journal has it', () => {
    const becauseOf = {
      answered: 'answered before it was told',
      unanswered: 'the session ended before it was told',
    }
    const channels = { phone: { type: 'slack', url: 'https://hooks.slack.com/services/x' } }
    const routes = [{ on: ['*'], steps: [{ after: '2m', to: ['phone'] }] }]
    fc.assert(
      fc.property(timelines, noise, (events, settings) => {
        const run = runTimeline(events, { config: { channels, routes, noise: settings } })
        const told = toldIn(run)
        const reasons = new Map(run.dropped.map(({ id, reason }) => [id, reason]))
        const ends = new Map(
          run.journal.flatMap(({ id, type }) =>
            type === 'answered' || type === 'unanswered' ? [[id, becauseOf[type]]] : [],
          ),
        )
        for (const { id, kind, repeatOf, acceptedAt } of run.entries) {
          if (kind !== 'permission' || repeatOf !== undefined) continue
          if (!told.has(id)) expect(reasons.get(id), id).toBe(ends.get(id) ?? 'an end')
          const ping = run.pings.find(({ events: ids }) => ids.includes(id))
          expect((ping?.at ?? Number.POSITIVE_INFINITY) - acceptedAt).toBeGreaterThanOrEqual(
            120_000,
          )
        }
      }),
      { numRuns: runs(300) },
    )
  })

  it('drop everything that is muted', () => {
    fc.assert(
      fc.property(timelines, (events) => {
        const mutes = () => [{ until: 0, questions: true as const }]
        const { pings } = runTimeline(events, { config: { routes: everything }, mutes })
        expect(pings).toEqual([])
      }),
    )
  })

  it('never deliver an event that would be dropped with one rule less', () => {
    fc.assert(
      fc.property(timelines, noise, fc.constantFrom(...noiseRules), (events, settings, rule) => {
        const run = (off: string[]) =>
          runTimeline(events, { config: { routes: everything, noise: { ...settings, off } } })
        const without = toldIn(run([rule]))
        for (const id of toldIn(run([]))) {
          // A held turn may be delivered instead of a later one that a rule dropped, and a notice that the agent waits
          // instead of a question at the end of the turn.
          const isTold = [id, ...turnsInstead(events, id)].some((one) => without.has(one))
          expect(isTold, `${id} without ${rule}`).toBe(true)
        }
      }),
      { numRuns: runs(500) },
    )
  })

  it('deliver everything at once to a channel without rules', () => {
    fc.assert(
      fc.property(timelines, noise, (events, settings) => {
        const channels = { audit: { type: 'file', path: '/tmp/audit' } }
        const routes = [{ on: ['*'], to: ['audit'] }]
        const { pings } = runTimeline(events, { config: { channels, routes, noise: settings } })
        expect(pings.map(({ at, events: [id] }) => [at, id])).toEqual(
          events.map(({ at, id }) => [at, id]),
        )
      }),
    )
  })
})

/** The state of the memory as a checkpoint stores it. */
function saved(memory: Memory) {
  return JSON.parse(JSON.stringify(memory.state))
}

/** A question, or an answer to one. Every second entry belongs to the session `busy`. */
const entryAt = (index: number): AcceptedEntry => ({
  at: index,
  id: `event-${index}`,
  type: 'accepted',
  acceptedAt: index,
  event: 'PermissionRequest',
  kind: 'permission',
  client: 'claude',
  sessionId: `session-${index % 2 === 0 ? 'busy' : index}`,
  project: '',
  title: '',
  facts: { means: index % 3 === 0 ? 'PermissionReplied' : 'PermissionRequest' },
  fingerprint: `${index}`,
  to: [`channel-${index}`],
})

describe('the memory of the rules', () => {
  it('is the same when entries are applied twice, at once or after a restart', () => {
    fc.assert(
      fc.property(timelines, fc.nat(), (events, from) => {
        const { journal: entries, memory } = runTimeline(events, { config: { routes: everything } })
        const once = JSON.stringify(memory.state)
        const twice = new Memory()
        for (const entry of entries) {
          twice.fold(entry)
          twice.fold(entry)
        }
        expect(saved(twice)).toEqual(JSON.parse(once))
        const restarted = new Memory(JSON.parse(once))
        for (const entry of entries.slice(from % (entries.length + 1))) restarted.fold(entry)
        expect(saved(restarted)).toEqual(JSON.parse(once))
      }),
    )
  })

  it.each([0, 1000])(
    'is the same when the entries of an end and a later interrupt are applied twice, %d ms apart',
    (gap) => {
      const memory = new Memory()
      const entries = ['SessionEnd', 'Interrupt', 'UserPromptSubmit'].map((means, index) => ({
        ...entryAt(1000 + gap * index),
        ...{ id: means, client: 'droid', event: means, kind: 'other' as const, facts: { means } },
      }))
      for (const entry of entries) memory.fold(entry)
      const once = saved(memory)
      for (const entry of entries) memory.fold(entry)
      expect(saved(memory)).toEqual(once)
    },
  )

  it('is the same when entries that it has already forgotten are applied again', () => {
    const memory = new Memory()
    for (let index = 0; index < 200; index += 1) memory.fold(entryAt(index))
    const once = saved(memory).sessions
    for (let index = 0; index < 20; index += 1) memory.fold(entryAt(index))
    expect(saved(memory).sessions).toEqual(once)
  })

  it('leads to the same decisions after a restart', () => {
    fc.assert(
      fc.property(timelines, fc.nat(), (events, cut) => {
        const config = { routes: everything }
        const middle = cut % (events.length + 1)
        const first = runTimeline(events.slice(0, middle), { config })
        const memory = new Memory(saved(first.memory))
        const rest = runTimeline(events.slice(middle), { config, memory })
        const whole = runTimeline(events, { config })
        const traces = (entries: readonly AcceptedEntry[]) => entries.map(({ trace }) => trace)
        expect(traces([...first.entries, ...rest.entries])).toEqual(traces(whole.entries))
      }),
    )
  })

  it('stays small with thousands of sessions and events', () => {
    const memory = new Memory()
    for (let index = 0; index < 20_000; index += 1) memory.fold(entryAt(index))
    expect(JSON.stringify(memory.state).length).toBeLessThan(1_000_000)
  })

  it('ignores invalid parts of its state', () => {
    for (const sessions of ['damaged', 7, null, { 'claude s1': 'damaged' }]) {
      const memory = new Memory({ sessions, duplicates: 'damaged' })
      expect(memory.session({ client: 'gemini', sessionId: 's1' })).toBeUndefined()
    }
  })
})
