import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noiseRules } from '../../src/config/schema/noise.ts'
import type { Config } from '../../src/config/schema/schema.ts'
import type { EnrichedEvent } from '../../src/context/enrich.ts'
import { kindOf } from '../../src/event/event.ts'
import { type AcceptedEntry, type JournalEntry, parseEntry } from '../../src/journal/entry.ts'
import { policyConfig } from '../../src/simulate/judge.ts'
import { Replay } from '../../src/simulate/replay.ts'
import { simulate } from '../../src/simulate/simulate.ts'
import { timelines, turnsInstead } from '../policy/arbitrary.ts'
import { parsePayload } from '../support/payload.ts'
import { runs } from '../support/runs.ts'
import { enrichedOfLine, loadSequences } from '../support/sequence.ts'

const start = Date.parse('2026-11-20T09:00:00Z')

const everywhere = [{ on: ['*'], to: ['desktop', 'audit'] }]
const channels = { desktop: { type: 'desktop' }, audit: { type: 'file', path: '/tmp/audit' } }
const settings = fc.record({
  channels: fc.constant(channels),
  routes: fc.constantFrom(undefined, everywhere, [
    { on: ['done'], when: { minSeconds: 60, project: ['shop'] }, to: ['desktop'] },
    { on: ['permission'], not: { ssh: true }, to: ['desktop'] },
    { on: ['failed'], when: { reason: ['rate_limit'] }, to: ['audit'] },
  ]),
  noise: fc.record({
    burstSeconds: fc.constantFrom(0, 2, 60),
    cooldownSeconds: fc.constantFrom(0, 600),
    quietHours: fc.constantFrom([], [{ from: '09:30', to: '11:00', timeZone: 'UTC' }]),
    off: fc.subarray([...noiseRules]),
  }),
  abnormalReasons: fc.constantFrom(undefined, ['exit']),
})

/** The journal entries for these events, parsed as from the disk. */
function journalOf(events: readonly EnrichedEvent[], config: Config): JournalEntry[] {
  const replay = new Replay(config)
  for (const event of events) {
    // The configuration decides whether an end is abnormal.
    const isEnd = event.means === 'SessionEnd'
    const kind = isEnd
      ? kindOf({ ...event, name: 'SessionEnd' }, config.abnormalReasons)
      : event.kind
    replay.add({ found: { ...event, kind } })
  }
  replay.end()
  const entries = replay.journal.map((entry) => parseEntry(JSON.stringify(entry)))
  return entries.filter((entry) => entry !== undefined)
}

/** Expects that the simulation with the configuration of the journal changes nothing. */
function expectSame(events: readonly EnrichedEvent[], given: object) {
  const config = policyConfig(given)
  const result = simulate({ entries: journalOf(events, config), config })
  expect(result.changes).toEqual([])
  for (const { before, after } of Object.values(result.channels)) expect(after).toBe(before)
  expect(result.missed).toHaveLength(result.missedBefore)
}

describe.each(loadSequences())('the sequence $name', ({ lines }) => {
  const events = lines.map((line, index) => enrichedOfLine(line, start, `event-${index}`))

  it('leads to the same decisions with the same configuration', () => {
    fc.assert(
      fc.property(settings, (config) => expectSame(events, config)),
      { numRuns: runs(40) },
    )
  })
})

describe('simulate', () => {
  it('finds no changes with the same configuration for any events', () => {
    fc.assert(
      fc.property(timelines, settings, (events, config) => expectSame(events, config)),
      { numRuns: runs(300) },
    )
  })

  it('never delivers more with one more noise rule', () => {
    fc.assert(
      fc.property(timelines, settings, fc.constantFrom(...noiseRules), (events, config, rule) => {
        const others = config.noise.off.filter((one) => one !== rule)
        const withOff = (off: string[]) =>
          policyConfig({ ...config, noise: { ...config.noise, off } })
        const entries = journalOf(events, withOff([...others, rule]))
        const { changes } = simulate({ entries, config: withOff(others) })
        // An event may be delivered instead of a turn that the rule suppresses.
        const more = changes.filter(
          ({ isTold, id }) => isTold && turnsInstead(events, id).length === 0,
        )
        expect(more).toEqual([])
      }),
      { numRuns: runs(300) },
    )
  })

  it('names the questions that would reach nobody, and the reason', () => {
    const { lines } = loadSequences().find(({ name }) => name === 'permission-burst') ?? {}
    const events = lines?.map((line, index) => enrichedOfLine(line, start, `event-${index}`)) ?? []
    const entries = journalOf(events, policyConfig({}))
    const config = { channels, routes: [{ on: ['permission'], to: ['audit'] }] }
    const { missed, missedBefore, questions } = simulate({ entries, config: policyConfig(config) })
    // The last event repeats a question.
    const asked = events.filter(
      ({ kind, means }) => kind === 'permission' && means !== 'Notification',
    )
    expect(missed.map(({ id }) => id)).toEqual(asked.map(({ id }) => id))
    expect(questions).toBe(asked.length)
    expect(missed[0]?.because).toBe('no route to a channel that a person is shown')
    expect(missedBefore).toBe(0)
  })

  it.each([
    ['permission.replied', 'answered before it was told', 'answered'],
    ['SessionEnd', 'the session ended before it was told', 'unanswered'],
  ])('drops a held question for the reason that was recorded: %s', (name, reason, type) => {
    const event = (payload: object, at: number, id: string) => {
      const parsed = parsePayload(payload, { client: 'opencode', at: start + at })
      const did = { tools: {}, files: [], commands: [] }
      const none = { project: 'shop', branch: '', title: '', firstPrompt: '', tokens: undefined }
      return { ...parsed, ...none, id, did }
    }
    const of = { sessionID: 's1' }
    const asked = { ...of, hook_event_name: 'permission.asked', id: 'r1', permission: 'bash' }
    const next = { ...of, hook_event_name: name, requestID: 'r1' }
    const events = [event(asked, 0, 'q'), event(next, 500, 'next')]
    const entries = journalOf(events, policyConfig({}))
    expect(entries.filter(({ id }) => id === 'q')).toMatchObject([
      { type: 'accepted' },
      { type: 'held' },
      { type },
      { type: 'suppressed', reason },
    ])
    const { missed, channels: pings } = simulate({ entries, config: policyConfig({}) })
    expect([missed, pings]).toEqual([[], {}])
  })

  it('ignores muted events', () => {
    const { lines } = loadSequences().find(({ name }) => name === 'permission-burst') ?? {}
    const replay = new Replay(policyConfig({}), {
      mutes: () => [{ until: 0, questions: true as const }],
    })
    for (const [index, line] of (lines ?? []).entries()) {
      replay.add({ found: enrichedOfLine(line, start, `event-${index}`) })
    }
    const { channels: pings, missed } = simulate({
      entries: replay.journal,
      config: policyConfig({}),
    })
    expect({ pings, missed }).toEqual({ pings: {}, missed: [] })
  })

  it('judges as the worker does when the clock was set back during a session', () => {
    const accepted = (id: string, means: string, at: number): AcceptedEntry => ({
      ...{ id, at, type: 'accepted', acceptedAt: at, event: means, facts: { means } },
      ...{ kind: means === 'Stop' ? 'done' : 'other', client: 'claude', sessionId: 's1' },
      ...{ project: 'shop', title: '', to: ['desktop'] },
      trace: [{ by: 'policies', channel: 'desktop', verdict: 'send', because: 'no rule' }],
    })
    const entries = [accepted('e1', 'Stop', start), accepted('e2', 'Stop', start - 3600_000)]
    const config = policyConfig({ noise: { cooldownSeconds: 60 } })
    expect(simulate({ entries, config }).channels).toEqual({ desktop: { before: 2, after: 2 } })
  })

  it('takes earlier events into account for the simulated period', () => {
    const { lines } = loadSequences().find(({ name }) => name === 'idle-after-stop') ?? {}
    const events = lines?.map((line, index) => enrichedOfLine(line, start, `event-${index}`)) ?? []
    const config = policyConfig({})
    const entries = journalOf(events, config)
    const last = events.at(-1)?.at ?? 0
    const { events: count, channels: pings } = simulate({
      entries,
      since: last,
      config,
    })
    expect(count).toBeLessThan(events.length)
    expect(pings).toEqual({})
  })
})
