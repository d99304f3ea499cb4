import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boardOf } from '../../src/board/board.ts'
import { type Evidence, STILL_MS, type State, stateOf } from '../../src/board/state.ts'
import type { EnrichedEvent } from '../../src/context/enrich.ts'
import { foldSession, restoreSessions, sessionKey } from '../../src/policy/sessions.ts'
import { readPayload } from '../support/payload.ts'
import { entryOf, Play, type Scene, scenes } from './_model.ts'

const start = Date.parse('2026-11-20T09:00:00Z')
const AFTER_MS = 15 * 60_000

/** Plays the sessions at the same time. @param check called after each step, and some time after the last one */
function playAll(all: readonly Scene[], check: (plays: readonly Play[], now: number) => void) {
  const plays = all.map((scene, index) => new Play(scene, `s${index}`))
  const steps = all.flatMap(({ steps }, index) => {
    let at = start
    return steps.map(({ does, afterMs }) => {
      at += afterMs
      return { does, at, index }
    })
  })
  steps.sort((one, other) => one.at - other.at)
  for (const { does, at, index } of steps) {
    plays[index]?.play(does, at)
    check(plays, at)
  }
  check(plays, (steps.at(-1)?.at ?? start) + AFTER_MS)
}

/** What the board says, as `state since` by session. */
function boardAfter(plays: readonly Play[], now: number) {
  const sessions = restoreSessions(undefined)
  for (const { entries } of plays) for (const one of entries) foldSession(sessions, one)
  // As a checkpoint keeps it.
  const kept = restoreSessions(JSON.parse(JSON.stringify(Object.fromEntries(sessions))))
  const found = plays.flatMap(({ client, sessionId, evidence }) => {
    const session = kept.get(sessionKey({ client, sessionId }))
    return session ? [{ ref: { client, sessionId }, session, evidence }] : []
  })
  return boardOf(found, now)
}

describe('what a session does', () => {
  it('is true at any time, whatever several clients do and whatever happens to them', () => {
    const seen = new Set<string>()
    const property = fc.property(scenes, (all) => {
      playAll(all, (plays, now) => {
        const board = boardAfter(plays, now)
        const told = board.map(({ sessionId, state, since }) => [sessionId, { state, since }])
        const true_ = plays.flatMap((play) => {
          const truth = play.truth(now)
          return truth ? [[play.sessionId, truth]] : []
        })
        for (const { client, state } of board) seen.add(`${client} ${state}`)
        expect(Object.fromEntries(told)).toEqual(Object.fromEntries(true_))
      })
    })
    fc.assert(property, { numRuns: 400 })
    // Each state was seen of each client, as far as the client has it.
    expect(seen.size).toBeGreaterThanOrEqual(38)
  })

  it('is listed by who waits longest, and those that ended last of all', () => {
    fc.assert(
      fc.property(scenes, (all) => {
        playAll(all, (plays, now) => {
          const board = boardAfter(plays, now)
          const asking = board.filter(({ state }) => state === 'asks')
          expect(board.slice(0, asking.length)).toEqual(asking)
          const since = asking.map((one) => one.since)
          expect(since).toEqual([...since].sort((one, other) => one - other))
          const ended = board.findIndex(({ state }) => state === 'ended')
          if (ended >= 0) {
            expect(new Set(board.slice(ended).map(({ state }) => state))).toEqual(
              new Set(['ended']),
            )
          }
        })
      }),
    )
  })
})

interface Row {
  title: string
  events: [payload: string, at: number, told?: Partial<EnrichedEvent>][]
  evidence?: Partial<Evidence>
  at?: number
  is: [State, number]
}

const MINUTE = 60_000

/** Events of Claude Code, with minutes since the start. */
const rows: Row[] = [
  {
    title: 'a turn that ends with a question asks',
    events: [
      ['UserPromptSubmit', 0],
      ['Stop', 2, { asks: true }],
    ],
    is: ['asks', 2],
  },
  {
    title: 'an agent that asks something else asks, until a person has written',
    events: [
      ['UserPromptSubmit', 0],
      ['Notification.elicitation', 1],
    ],
    is: ['asks', 1],
  },
  {
    title: 'an idle notice after the last event shows that a person stopped the turn',
    events: [
      ['UserPromptSubmit', 0],
      ['Notification.idle', 3],
    ],
    evidence: { grewAt: 2 },
    is: ['done', 3],
  },
  {
    title: 'an idle notice shows nothing once the transcript goes on',
    events: [
      ['UserPromptSubmit', 0],
      ['Notification.idle', 3],
    ],
    evidence: { grewAt: 4 },
    is: ['works', 0],
  },
  {
    title: 'agents in the background work',
    events: [
      ['UserPromptSubmit', 0],
      ['Stop', 1, { backgroundTasks: 1, backgroundAgents: 1 }],
    ],
    is: ['works', 0],
  },
  {
    title: 'a server in the background does not',
    events: [
      ['UserPromptSubmit', 0],
      ['Stop', 1, { backgroundTasks: 1 }],
    ],
    is: ['done', 1],
  },
  {
    title: 'a turn that is scheduled counts as work until its time',
    events: [
      ['UserPromptSubmit', 0],
      ['Stop', 1, { wakesAt: start + 60 * MINUTE }],
    ],
    at: 50,
    is: ['works', 0],
  },
  {
    title: 'a session that is taken up after its end lives again',
    events: [
      ['UserPromptSubmit', 0],
      ['SessionEnd.normal', 1],
      ['UserPromptSubmit', 2],
    ],
    is: ['works', 2],
  },
  {
    title: 'what an agent reports after its end does not bring it back',
    events: [
      ['UserPromptSubmit', 0],
      ['SessionEnd.normal', 1],
      ['Stop', 2],
    ],
    is: ['ended', 1],
  },
  {
    title:
      'a process that lives through a start of the machine, as in a container elsewhere, counts',
    events: [['UserPromptSubmit', 0]],
    evidence: { job: 'alive', bootedAt: 3 },
    is: ['works', 0],
  },
]

it.each(rows)('$title', ({ events, evidence = {}, at = 5, is: [state, since] }) => {
  const sessions = restoreSessions(undefined)
  const time = (minutes: number) => start + minutes * MINUTE
  for (const [payload, minutes, told] of events) {
    const more = { id: `e${minutes}`, at: time(minutes), sessionId: 's', ...told }
    foldSession(sessions, entryOf(readPayload('claude', payload), 'claude', more))
  }
  const session = sessions.get('claude s')
  const { grewAt, bootedAt, ...found } = evidence
  const whole: Evidence = {
    ...{ job: 'unknown', ...found },
    ...(grewAt !== undefined && { grewAt: time(grewAt) }),
    ...(bootedAt !== undefined && { bootedAt: time(bootedAt) }),
  }
  expect(session && stateOf(session, whole, time(at))).toMatchObject({ state, since: time(since) })
})

it('a session at rest has ended once a person goes on with another one in the same process', () => {
  const place = { terminal: '/dev/pts/9', job: { pid: 7, started: '1', boot: 'b' } }
  const sessions = restoreSessions(undefined)
  const tell = (sessionId: string, payload: string, at: number) => {
    const told = { id: `${sessionId}${at}`, at: start + at, sessionId, place }
    foldSession(sessions, entryOf(readPayload('codex', payload), 'codex', told))
  }
  tell('old', 'UserPromptSubmit', 1)
  tell('old', 'Stop', 2)
  tell('new', 'UserPromptSubmit', 3)
  const found = [...sessions].map(([key, session]) => {
    const ref = { client: 'codex', sessionId: key.replace('codex ', '') }
    return { ref, session, evidence: { job: 'alive' } as const }
  })
  const told = boardOf(found, start + STILL_MS).map(({ sessionId, state, since }) => [
    ...[sessionId, state, since - start],
  ])
  expect(told).toEqual([
    ['new', 'works', 3],
    ['old', 'ended', 3],
  ])
})
