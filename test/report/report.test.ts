import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AcceptedEntry, JournalEntry } from '../../src/journal/entry.ts'
import { makeReport, quantile } from '../../src/report/report.ts'
import { timelines } from '../policy/arbitrary.ts'
import { entriesOf, eventsOfSequence, everything } from '../support/entries.ts'
import { runs } from '../support/runs.ts'
import { loadSequences } from '../support/sequence.ts'

const start = Date.parse('2026-11-20T09:00:00Z')
const always = { from: 0, to: Number.POSITIVE_INFINITY }

describe('a report', () => {
  it('matches the counts in the journal for any events', () => {
    fc.assert(
      fc.property(timelines, (events) => {
        const entries = entriesOf(events, everything)
        const report = makeReport(entries, always)
        const delivered = entries.filter(({ type }) => type === 'delivered')
        expect(report.events).toBe(events.length)
        expect(report.channels.reduce((sum, one) => sum + one.events, 0)).toBe(delivered.length)
        for (const { waits, answered, open, medianMs, p90Ms, longestMs } of report.waits) {
          expect(answered + open).toBeLessThanOrEqual(waits)
          expect((medianMs ?? 0) <= (p90Ms ?? 0) && (p90Ms ?? 0) <= (longestMs ?? 0)).toBe(true)
          // Nobody knows when some of them were answered.
          if (answered === 0) expect(medianMs).toBeNull()
        }
        const answers = report.answers.reduce((sum, { count }) => sum + count, 0)
        const all = report.waits.reduce((sum, { answered }) => sum + answered, 0)
        expect(answers).toBeLessThanOrEqual(all)
        for (const { medianMs, medianWorkMs } of report.turns) {
          expect(medianWorkMs).toBeLessThanOrEqual(medianMs)
        }
      }),
      { numRuns: runs(300) },
    )
  })

  it('counts each event and wait in exactly one of two adjacent periods', () => {
    const entries = entriesOf(
      loadSequences().flatMap(({ name }, index) =>
        eventsOfSequence(name, start + index * 86_400_000),
      ),
    )
    const whole = makeReport(entries, always)
    const middle = start + 9 * 86_400_000
    const halves = [
      makeReport(entries, { from: 0, to: middle }),
      makeReport(entries, { from: middle, to: always.to }),
    ]
    expect(halves.reduce((sum, { events }) => sum + events, 0)).toBe(whole.events)
    const waits = (report: typeof whole) => report.waits.reduce((sum, one) => sum + one.waits, 0)
    expect(halves.reduce((sum, half) => sum + waits(half), 0)).toBe(waits(whole))
  })

  it('counts the suppressed events by rule, or by reason without a rule', () => {
    const entries = entriesOf(eventsOfSequence('afternoon-of-three-sessions', start))
    const { suppressed } = makeReport(entries, always)
    const counts = Object.fromEntries(suppressed.map(({ name, count }) => [name, count]))
    const steps = entries.flatMap((entry) => (entry.type === 'accepted' ? (entry.trace ?? []) : []))
    const ofRule = steps.filter(({ by, verdict }) => by === 'short-turns' && verdict === 'suppress')
    expect(counts['short-turns']).toBe(ofRule.length)
    expect(ofRule.length).toBeGreaterThan(0)
    const silent = entries.filter(
      (entry) => entry.type === 'suppressed' && entry.reason === 'no route for subagent-done',
    )
    expect(silent.length).toBeGreaterThan(0)
    expect(counts['no route for subagent-done']).toBe(silent.length)
  })

  it('does not count a prompt without a route as suppressed', () => {
    const events = eventsOfSequence('afternoon-of-three-sessions', start)
    const prompt = events.find(({ name }) => name === 'UserPromptSubmit')
    if (!prompt) throw new Error('no event')
    const silent = entriesOf([prompt])
    expect(silent).toMatchObject([
      { type: 'accepted', event: 'UserPromptSubmit' },
      { type: 'suppressed', reason: 'no route for UserPromptSubmit' },
    ])
    expect(makeReport(silent, always)).toMatchObject({ events: 1, suppressed: [], days: [] })
    const routed = entriesOf([prompt], everything)
    expect(makeReport(routed, always)).toMatchObject({ days: [{ messages: 1 }] })
  })

  it('counts each channel in which an event was suppressed, and groups mutes', () => {
    const base = { at: start, id: 'e1' }
    const channels = ['desk', 'team', 'mail', 'page']
    const accepted = entriesOf(eventsOfSequence('crash', start))[0] as AcceptedEntry
    const trace = [
      { by: 'cooldown', channel: 'desk', verdict: 'suppress', because: 'too soon' } as const,
    ]
    const entries: JournalEntry[] = [
      { ...accepted, ...base, to: channels.slice(1), trace },
      { ...base, type: 'suppressed', channel: 'desk', reason: 'too soon' },
      { ...base, type: 'suppressed', channel: 'page', reason: 'Muted until 2026-11-20 09:00' },
      // `hookbell purge` writes one entry for all remaining channels.
      { ...base, type: 'suppressed', reason: 'purged' },
    ]
    expect(makeReport(entries, always).suppressed).toEqual([
      { name: 'purged', count: 2 },
      { name: 'cooldown', count: 1 },
      { name: 'mute', count: 1 },
    ])
  })

  it('counts an event without an available channel as suppressed, with that reason', () => {
    const base = { at: start, id: 'e1', channel: 'desk', attempt: 1 }
    const accepted = entriesOf(eventsOfSequence('crash', start))[0] as AcceptedEntry
    const entries: JournalEntry[] = [
      { ...accepted, at: start, id: 'e1', to: ['desk'], trace: [] },
      { ...base, type: 'unavailable', reason: 'no desktop' },
    ]
    expect(makeReport(entries, always).suppressed).toEqual([
      { name: 'no channel was available', count: 1 },
    ])
  })

  it.each([
    ['the test events of doctor', { name: 'HookbellCanary', means: '', kind: 'other' }],
    ['test messages', { client: 'hookbell', kind: 'waiting' }],
  ] as const)('leaves out %s', (_, more) => {
    const [first] = eventsOfSequence('crash', start)
    if (!first) throw new Error('no event')
    const entries = entriesOf([{ ...first, ...more }], everything)
    expect(entries.length).toBeGreaterThan(1)
    const nothing = { events: 0, waits: [], channels: [], suppressed: [], days: [] }
    expect(makeReport(entries, always)).toMatchObject(nothing)
  })

  it('counts the retries, the failures and the unavailability of each channel', () => {
    const base = { at: start, id: 'e1', channel: 'team', attempt: 1, reason: 'status 500' }
    const entries: JournalEntry[] = [
      ...entriesOf(eventsOfSequence('crash', start)),
      { ...base, id: 'crash-0', type: 'deferred', until: start },
      { ...base, id: 'crash-0', type: 'exhausted' },
      { ...base, id: 'crash-0', channel: 'here', type: 'unavailable', reason: 'no terminal' },
    ]
    const { channels } = makeReport(entries, always)
    const none = { messages: 0, events: 0, retries: 0, failed: 0, unavailable: 0 }
    expect(channels).toContainEqual({ ...none, name: 'team', retries: 1, failed: 1 })
    expect(channels).toContainEqual({ ...none, name: 'here', unavailable: 1 })
  })
})

describe('quantile', () => {
  it.each([
    [[], 0.5, null],
    [[7], 0.9, 7],
    [[1, 2, 3, 4], 0.5, 2],
    [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9, 9],
  ])('of %j at %f is %s', (sorted, share, value) => {
    expect(quantile(sorted, share)).toBe(value)
  })
})
