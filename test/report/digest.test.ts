import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AcceptedEntry, JournalEntry } from '../../src/journal/entry.ts'
import { type Digest, digestMessage, isWorthTelling, makeDigest } from '../../src/report/digest.ts'
import { timelines } from '../policy/arbitrary.ts'
import { entriesOf, eventsOfSequence, everything } from '../support/entries.ts'
import { runs } from '../support/runs.ts'

const start = Date.parse('2026-11-20T09:00:00Z')
const counters = ['done', 'failed', 'asked', 'repeats', 'other'] as const
const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

describe('a digest', () => {
  it('matches the counts in the journal for any events and period', () => {
    fc.assert(
      fc.property(timelines, fc.nat(7_200_000), fc.nat(7_200_000), (events, from, length) => {
        const entries = entriesOf(events, everything)
        const period = { from: start + from, to: start + from + length }
        const digest = makeDigest(entries, period)
        const accepted = entries.filter(
          (entry): entry is AcceptedEntry =>
            entry.type === 'accepted' &&
            entry.acceptedAt >= period.from &&
            entry.acceptedAt < period.to,
        )
        expect(digest.events).toBe(accepted.length)
        expect(sum(counters.map((name) => digest[name]))).toBe(accepted.length)
        for (const name of counters) {
          expect(sum(digest.projects.map((project) => project[name]))).toBe(digest[name])
        }
        const isNew = ({ duplicateOf, repeatOf }: AcceptedEntry) => !duplicateOf && !repeatOf
        const count = (isMeant: (entry: AcceptedEntry) => boolean) =>
          accepted.filter((entry) => isNew(entry) && isMeant(entry)).length
        expect(digest.done).toBe(count(({ kind }) => kind === 'done'))
        // No notice of these events asks anything: they are idle notices.
        expect(digest.asked).toBe(count(({ kind }) => kind === 'permission'))
        expect(digest.waiting.length).toBeLessThanOrEqual(digest.asked)
        const times = digest.waiting.map(({ at }) => at)
        expect(times).toEqual([...times].sort((one, other) => one - other))
      }),
      { numRuns: runs(300) },
    )
  })

  it('is rendered in a few lines', () => {
    const entries = entriesOf(eventsOfSequence('afternoon-of-three-sessions', start))
    const digest = makeDigest(entries, { from: start, to: start + 86_400_000 })
    const { title, body } = digestMessage(digest)
    expect(title).toMatch(/^Digest: \d+ done, (\d+ failed, )?\d+ asked/)
    expect(body).toMatch(/^shop: \d+ done/m)
    expect(isWorthTelling(digest)).toBe(true)
  })

  it('shows what is asked, but not for a channel of the lowest clearance', () => {
    const [entry] = entriesOf(eventsOfSequence('afternoon-of-three-sessions', start))
    if (entry?.type !== 'accepted') expect.fail('no entry')
    const asks: AcceptedEntry = {
      ...{ ...entry, kind: 'permission', title: 'shop: permission needed' },
      text: 'Bash: npm publish\nPublish it',
    }
    const digest = makeDigest([asks], { from: 0, to: start + 1 })
    expect(digestMessage(digest).body).toMatch(/: shop: permission needed · Bash: npm publish$/)
    expect(digestMessage(digest, 'minimal').body).toMatch(/: shop: permission needed$/)
    const { text: _, ...withoutText } = asks
    const { body } = digestMessage(makeDigest([withoutText], { from: 0, to: start + 1 }))
    expect(body).toMatch(/: shop: permission needed$/)
  })

  it('does not count a turn as done if a hook made the agent go on', () => {
    const [entry] = entriesOf(eventsOfSequence('crash', start))
    if (entry?.type !== 'accepted') expect.fail('no entry')
    const refused: AcceptedEntry = { ...entry, kind: 'done', facts: { means: 'StopRefused' } }
    expect(makeDigest([refused], { from: 0, to: start + 1 })).toMatchObject({ done: 0, other: 1 })
  })

  it.each([
    ['its own messages', { client: 'hookbell', kind: 'done' }],
    ['the tests of doctor', { event: 'HookbellCanary', kind: 'other' }],
  ])('ignores %s', (_, more) => {
    const [entry] = entriesOf(eventsOfSequence('crash', start))
    if (entry?.type !== 'accepted') expect.fail('no entry')
    const digest = makeDigest([{ ...entry, ...more }], { from: 0, to: start + 1 })
    expect(digest.events).toBe(0)
    expect(isWorthTelling(digest)).toBe(false)
  })

  it('does not count an idle notice as a question, also when no turn has ended before', () => {
    const [entry] = entriesOf(eventsOfSequence('crash', start))
    if (entry?.type !== 'accepted') expect.fail('no entry')
    const facts = { means: 'Notification', notificationType: 'idle_prompt' }
    const idle: AcceptedEntry = { ...entry, kind: 'waiting', facts }
    const period = { from: 0, to: start + 1 }
    expect(makeDigest([idle], period)).toMatchObject({ asked: 0, other: 1, waiting: [] })
    const needed = { ...idle, facts: { ...facts, notificationType: 'agent_needs_input' } }
    expect(makeDigest([needed], period)).toMatchObject({ asked: 1, waiting: [{ id: entry.id }] })
  })

  it('that is sent late does not list what was answered since it was due', () => {
    const [entry] = entriesOf(eventsOfSequence('crash', start))
    if (entry?.type !== 'accepted') expect.fail('no entry')
    const { id, client, sessionId } = entry
    const answer = { at: start + 9, id, client, sessionId, how: 'reply', answeredAt: start + 9 }
    const entries = [
      { ...entry, kind: 'permission' },
      { ...answer, type: 'answered' },
    ]
    const digest = makeDigest(entries as JournalEntry[], { from: 0, to: start + 1 })
    expect(digest).toMatchObject({ asked: 1, waiting: [] })
  })

  it('is limited in length for many open questions', () => {
    const waiting = Array.from({ length: 30 }, (_, index) => {
      return { id: `e${index}`, at: start + index, project: 'shop', title: 'x'.repeat(500) }
    })
    const none = { done: 0, failed: 0, asked: 30, repeats: 0, other: 0 }
    const digest: Digest = { from: start, to: start, events: 30, ...none, projects: [], waiting }
    const { title, body } = digestMessage(digest)
    expect(title).toBe('Digest: 30 asked, 30 still waiting')
    expect(body.length).toBeLessThan(1700)
    expect(body).toContain('and 20 more')
  })
})
