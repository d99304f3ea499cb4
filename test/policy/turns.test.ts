import { expect, it } from 'vitest'
import { meaningOf } from '../../src/event/meaning.ts'
import { noteTurn, type TurnEnd, type Turns, turnMs, waitedMs } from '../../src/policy/turns.ts'

const nothing: Turns = { promptAt: 0, turnEnd: undefined }
const ended = (at: number, backgroundTasks = 0): TurnEnd => ({
  ...{ at, means: 'Stop', backgroundTasks, judged: [] },
})
const followed = (at: number, tookMs?: number): TurnEnd => ({
  ...ended(at),
  ...{ means: 'StopQueued', tookMs },
})

it.each<[number | undefined, string, Partial<Turns>]>([
  [20, 'the prompt is known', { promptAt: 10 }],
  [7, 'no prompt is known', {}],
  [29, 'the prompt is as old as can be', { promptAt: 1 }],
  [0, 'the prompt came at the same time', { promptAt: 30 }],
  [5, 'the client began it by itself', { promptAt: 10, ownTurnAt: 25 }],
  [7, 'the prompt is later', { promptAt: 40 }],
  [7, 'the turn of that prompt has ended', { promptAt: 10, turnEnd: ended(20) }],
  [7, 'it has ended at once', { promptAt: 20, turnEnd: ended(20) }],
  [20, 'its prompt was waiting', { promptAt: 15, turnEnd: followed(20, 10) }],
  [
    19,
    'its prompt was waiting, and was reported then',
    { promptAt: 21, turnEnd: followed(20, 10) },
  ],
  [10, 'the next prompt was waiting too', { promptAt: 40, turnEnd: followed(20, 10) }],
  [20, 'its prompt is long after one that waited', { promptAt: 10, turnEnd: followed(-9991, 5) }],
  [undefined, 'nothing is known of the turn before', { turnEnd: followed(20) }],
  [7, 'a later turn has ended', { turnEnd: followed(31, 5) }],
])('a turn took %i ms if %s', (expected, _, more) => {
  expect(turnMs({ ...nothing, ...more }, { at: 30, durationMs: 7 })).toBe(expected)
  expect(turnMs(undefined, { at: 30 })).toBeUndefined()
})

const report = { promptAt: 10, ownTurnAt: 25, turnEnd: ended(20, 2) }

it.each<[number | undefined, string, Partial<Turns>, number]>([
  [20, 'a background task of an earlier turn is over', report, 1],
  [29, 'the prompt is as old as can be', { ...report, promptAt: 1 }, 1],
  [5, 'as many background tasks run as before', report, 2],
  [5, 'more background tasks run than before', report, 3],
  [5, 'none ran before', { ...report, turnEnd: ended(20) }, 0],
  [5, 'no turn ended before', { ...report, turnEnd: undefined }, 0],
  [4, 'a person wrote since', { ...report, promptAt: 26 }, 1],
  [5, 'a person wrote at the same time', { ...report, promptAt: 25 }, 1],
  [7, 'that turn has ended', { ...report, turnEnd: ended(25, 2) }, 1],
  [5, 'no prompt is known', { ...report, promptAt: 0 }, 1],
  [20, 'its prompt was waiting', { promptAt: 10, turnEnd: followed(20, 10) }, 0],
  [undefined, 'nothing is known of the turn for whose end it waited', { turnEnd: followed(20) }, 0],
])('a person has waited %i ms for a turn if %s', (expected, _, more, backgroundTasks) => {
  const event = { at: 30, durationMs: 7, backgroundTasks }
  expect(waitedMs({ ...nothing, ...more }, event)).toBe(expected)
})

it('a person has waited since the prompt if neither payload nor transcript has a duration', () => {
  const event = { at: 30, backgroundTasks: 0 }
  expect(waitedMs({ ...nothing, promptAt: 10 }, event)).toBe(20)
  expect(waitedMs(undefined, event)).toBeUndefined()
})

it('the latest end of a turn stays the same when it is noted again, or an earlier one is noted late', () => {
  const session = { ...nothing, promptAt: 10 }
  const told = { client: 'claude', name: 'Stop', means: 'Stop', notificationType: '' } as const
  const stop = meaningOf({ ...told, sessionId: 's', at: 0, reason: '', tool: '', turnId: '' })
  const note = (at: number) => {
    noteTurn(session, stop, { at, means: 'Stop', backgroundTasks: 0, judged: [] })
    return { ...session.turnEnd }
  }
  const first = note(20)
  expect(first).toMatchObject({ at: 20, tookMs: 10 })
  expect(note(20)).toEqual(first)
  expect(note(15)).toEqual(first)
})

it('a turn was not stopped by a person if its session had ended before', () => {
  const told = { client: 'droid', name: 'Notification', means: 'Interrupt' } as const
  const rest = { sessionId: 's', at: 0, notificationType: '', reason: '', tool: '', turnId: '' }
  const stopped = meaningOf({ ...told, ...rest })
  const note = (turns: Partial<Turns>) => {
    const session: Turns = { ...nothing, ...turns }
    noteTurn(session, stopped, { at: 30, means: 'Interrupt', backgroundTasks: 0, judged: [] })
    return session.turnEnd?.at
  }
  expect(note({ promptAt: 10 })).toBe(30)
  expect(note({ promptAt: 10, endedAt: 20 })).toBeUndefined()
  // The session was resumed.
  expect(note({ promptAt: 25, endedAt: 20 })).toBe(30)
})
