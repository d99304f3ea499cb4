import { afterAll, describe, expect, it } from 'vitest'
import { enrichedOfLine, loadSequences, type SequenceLine } from '../support/sequence.ts'
import { type Ping, runTimeline } from '../support/timeline.ts'

const start = Date.parse('2026-11-20T09:00:00Z')
const classes: { [kind: string]: string } = {
  permission: 'question',
  waiting: 'result',
  done: 'result',
  failed: 'failure',
  'abnormal-end': 'failure',
}

const rows: string[] = []
afterAll(() => console.info(['wanted  told  noise', ...rows].join('\n')))

describe.each(loadSequences())(
  'with default settings, the sequence $name',
  ({ name, lines, ...head }) => {
    const events = lines.map((line, index) => enrichedOfLine(line, start, `event-${index}`))
    const { pings, entries } = runTimeline(events)
    const isWanted = (ping: Ping) => findLine(lines, ping) !== undefined
    const noise = pings.filter((ping) => !isWanted(ping)).length
    rows.push(
      [head.wanted, pings.length, noise, ` ${name}`].map((one) => `${one}`.padStart(6)).join(''),
    )

    it('delivers each wanted event once and in time', () => {
      for (const [index, line] of lines.entries()) {
        if (line.told === null) continue
        const told = pings.filter(({ events: ids }) => ids.at(-1) === `event-${index}`)
        expect(told, `line ${index}: ${line.why}`).toHaveLength(1)
        expect(classes[told[0]?.kind ?? ''], `line ${index}`).toBe(line.told)
        const lateMs = (told[0]?.at ?? 0) - (start + line.at)
        expect(lateMs, `line ${index}`).toBeLessThanOrEqual(line.afterMs ?? 0)
      }
    })

    it('delivers nothing that is not wanted', () => {
      expect(noise).toBe(0)
      expect(noise).toBeLessThanOrEqual(head.allowedUnwanted)
    })

    it('gives a reason for each decision', () => {
      for (const { trace = [], to = [] } of entries) {
        const decisive = trace.filter(({ verdict }) => verdict !== 'not matched')
        if (to.length > 0) expect(decisive.length).toBeGreaterThan(1)
        for (const { because } of trace) expect(because).not.toBe('')
      }
    })
  },
)

/** The line of the last event in a message, if that event is wanted. */
function findLine(lines: readonly SequenceLine[], { events }: Ping): SequenceLine | undefined {
  const line = lines[Number(events.at(-1)?.replace('event-', ''))]
  return line?.told ? line : undefined
}
