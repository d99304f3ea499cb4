import { expect, it } from 'vitest'
import { meaningOf } from '../../src/event/meaning.ts'
import { noTurns, noteTurn, type TurnEnd, type Turns, waitedMs } from '../../src/policy/turns.ts'

it.each<[number | undefined, string, Partial<Turns>]>([
  [20, 'the prompt is known', { promptAt: 10 }],
  [7, 'no prompt is known', {}],
  [29, 'the prompt is as old as can be', { promptAt: 1 }],
  [7, 'the prompt came at the same time', { promptAt: 30 }],
  [7, 'the prompt is later', { promptAt: 40 }],
  [20, 'the client began the turn by itself', { promptAt: 10, workAt: 25, restedAt: 15 }],
  [25, 'a person wrote during the work', { promptAt: 28, workAt: 5 }],
  [7, 'the work before is over', { promptAt: 28, workAt: 5, restedAt: 10 }],
])('a person has waited %i ms for a turn if %s', (expected, _, more) => {
  expect(waitedMs({ ...noTurns, ...more }, { at: 30, durationMs: 7 })).toBe(expected)
  expect(waitedMs(undefined, { at: 30 })).toBeUndefined()
})

const about = { sessionId: 's', at: 0, notificationType: '', reason: '', tool: '', turnId: '' }
const happened = (means: 'UserPromptSubmit' | 'TurnStart' | 'Stop' | 'StopQueued' | 'Interrupt') =>
  meaningOf({ client: 'droid', name: means, means, ...about })

function note(
  session: Turns,
  at: number,
  means: Parameters<typeof happened>[0],
  isInterrupted = false,
) {
  const tasks = { backgroundTasks: 0, backgroundAgents: 0, backgroundTeammates: 0 }
  const ending: TurnEnd = { at, means, ...tasks, judged: [], to: [], asks: false }
  noteTurn(session, happened(means), { ...ending, isInterrupted })
}

it('the latest end of a turn stays the same when it is noted again, or an earlier one is noted late', () => {
  const session = { ...noTurns, promptAt: 10 }
  const noteEnd = (at: number) => {
    note(session, at, 'Stop')
    return { ...session.turnEnd }
  }
  const first = noteEnd(20)
  expect(first).toMatchObject({ at: 20 })
  expect(noteEnd(20)).toEqual(first)
  expect(noteEnd(15)).toEqual(first)
})

it('the work begins with the first turn after a rest, whoever begins it', () => {
  const session = { ...noTurns }
  const began = (
    ...given: Parameters<typeof note> extends [Turns, ...infer Rest] ? Rest : never
  ) => {
    note(session, ...given)
    return session.workAt
  }
  expect(began(10, 'UserPromptSubmit')).toBe(10)
  expect(began(20, 'UserPromptSubmit')).toBe(10)
  expect(began(30, 'StopQueued')).toBe(10)
  expect(began(40, 'UserPromptSubmit')).toBe(10)
  expect(began(50, 'Stop')).toBe(10)
  expect(began(60, 'TurnStart')).toBe(60)
  expect(began(55, 'UserPromptSubmit')).toBe(55)
  expect(began(10, 'UserPromptSubmit')).toBe(55)
  expect(began(70, 'UserPromptSubmit', true)).toBe(70)
  expect(began(80, 'Interrupt')).toBe(70)
  expect(began(90, 'UserPromptSubmit')).toBe(90)
})

it('a turn was not stopped by a person if its session had ended before', () => {
  const noteStop = (turns: Partial<Turns>) => {
    const session: Turns = { ...noTurns, ...turns }
    note(session, 30, 'Interrupt')
    return session.turnEnd?.at
  }
  expect(noteStop({ promptAt: 10 })).toBe(30)
  expect(noteStop({ promptAt: 10, endedAt: 20 })).toBeUndefined()
  // The session was resumed.
  expect(noteStop({ promptAt: 25, endedAt: 20 })).toBe(30)
})
