import { describe, expect, it } from 'vitest'
import { clientNames } from '../../src/clients/index.ts'
import type { AgentEvent } from '../../src/event/event.ts'
import { isRepeat, meaningOf } from '../../src/event/meaning.ts'
import { eventOfLine, loadSequences } from '../support/sequence.ts'

const sequences = loadSequences()
const start = Date.parse('2026-11-20T09:00:00Z')

it('the sequences cover every client, and two are long', () => {
  expect(sequences.filter(({ lines }) => lines.length > 40)).toHaveLength(2)
  const seen = new Set(sequences.flatMap(({ lines }) => lines.map(({ client }) => client)))
  expect([...seen].sort()).toEqual(clientNames)
})

describe.each(sequences)('the sequence $name', ({ lines, wanted }) => {
  const events = lines.map((line) => eventOfLine(line, start))

  it('is in chronological order', () => {
    const times = lines.map(({ at }) => at)
    expect(times).toEqual([...times].sort((one, other) => one - other))
  })

  it.each(lines.map((line, index) => [index, line.client, line.means, line] as const))(
    'has in line %i an event of %s with the meaning %s',
    (index, client, means, { kind }) => {
      expect(events[index]).toMatchObject({ client, means, kind, problems: [] })
      expect(events[index]?.sessionId).not.toBe('')
    },
  )

  it('marks as many events for delivery as its header states', () => {
    expect(lines.filter(({ told }) => told !== null)).toHaveLength(wanted)
  })

  it('has a question for each event that is marked as one', () => {
    for (const [index, { told, found }] of lines.entries()) {
      const question = events[index]?.question ?? found.question
      const what = `line ${index}: neither the payload nor \`found\` (the transcript) has it`
      if (told === 'question') expect(question, what).toBeDefined()
    }
  })

  it('marks the repeats that the data of the client detects', () => {
    for (const [index, { why }] of lines.entries()) {
      const again = events[index] as AgentEvent
      const isFound = events.slice(0, index).some((first) => isRepeat(first, again))
      if (why === 'repeat') expect(isFound, `line ${index}`).toBe(true)
      else if (isFound) expect(why, `line ${index}`).toBe('idle-after-stop')
    }
  })

  it('marks exactly the prompts of a person as prompts', () => {
    for (const [index, { why }] of lines.entries()) {
      expect(meaningOf(events[index] as AgentEvent).isPrompt, `line ${index}`).toBe(
        why === 'prompt',
      )
    }
  })
})

const measured = sequences.filter(({ before }) => before !== undefined)

describe.each(measured)('the sequence $name', ({ lines, wanted, before }) => {
  it('has the stated number of messages without any rules', () => {
    const registered = ['Notification', 'Stop', 'SubagentStop', 'SessionEnd']
    const pinged = ['permission', 'waiting', 'done', 'abnormal-end']
    const told = lines
      .map((line) => eventOfLine(line, start))
      .filter(({ name, kind }) => registered.includes(name) && pinged.includes(kind))
    expect(told).toHaveLength(before?.told ?? 0)
    expect(told.length - wanted).toBe(before?.unwanted)
  })
})
