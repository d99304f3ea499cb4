import { describe, expect, it } from 'vitest'
import type { AcceptedEntry } from '../../src/journal/entry.ts'
import { Waits } from '../../src/report/waits.ts'

const start = Date.parse('2026-11-20T09:00:00Z')

/** An entry of one session, this many seconds after the start. */
function entry(seconds: number, means: string, fields: Partial<AcceptedEntry> = {}): AcceptedEntry {
  const at = start + seconds * 1000
  return {
    ...{ at, id: `${means}-${seconds}`, type: 'accepted', acceptedAt: at, event: means },
    ...{ kind: 'other', client: 'claude', sessionId: 's1', project: 'shop', title: 'title' },
    ...fields,
    facts: { means, ...fields.facts },
  }
}

const ask = (seconds: number, toolUseId = '') =>
  entry(seconds, 'PermissionRequest', { kind: 'permission', facts: { toolUseId } })
const reply = (seconds: number, toolUseId = '') =>
  entry(seconds, 'PermissionReplied', { facts: { toolUseId } })
const stop = (seconds: number, backgroundTasks = 0) =>
  entry(seconds, 'Stop', { kind: 'done', facts: { backgroundTasks } })
const prompt = (seconds: number) => entry(seconds, 'UserPromptSubmit')
const idle = (seconds: number) => entry(seconds, 'Notification', { kind: 'waiting' })
const end = (seconds: number) => entry(seconds, 'SessionEnd', { kind: 'ended' })

/** The kind, the way it ended, and the duration in seconds of each wait. */
function waitsIn(...entries: AcceptedEntry[]) {
  const waits = new Waits()
  for (const one of entries) waits.add(one)
  return waits.all.map(({ kind, end: how, at, until }) => [
    ...[kind, how],
    ...(until === undefined ? [] : [(until - at) / 1000]),
  ])
}

describe('Waits', () => {
  it('measures from a question to its answer', () => {
    expect(waitsIn(ask(0), reply(30))).toEqual([['permission', 'answered', 30]])
    expect(waitsIn(ask(0), prompt(40))).toEqual([['permission', 'answered', 40]])
    expect(waitsIn(ask(0, 'a'), ask(5, 'b'), reply(30, 'b'), reply(50, 'a'))).toEqual([
      ['permission', 'answered', 50],
      ['permission', 'answered', 25],
    ])
    expect(waitsIn(ask(0), ask(5), reply(30))).toEqual([
      ['permission', 'answered', 30],
      ['permission', 'open'],
    ])
  })

  it('ends a question without an answer when the agent continues', () => {
    expect(waitsIn(ask(0), stop(60))).toEqual([
      ['permission', 'passed', 60],
      ['done', 'open'],
    ])
  })

  it('measures once from the end of a turn to the next prompt', () => {
    expect(waitsIn(stop(0), idle(60), prompt(90))).toEqual([['done', 'answered', 90]])
    expect(waitsIn(idle(60), prompt(90))).toEqual([['waiting', 'answered', 30]])
    expect(waitsIn(stop(0), end(90))).toEqual([['done', 'closed', 90]])
  })

  it('measures from the real end of a turn, not from one after which a hook made the agent go on', () => {
    const refused = entry(0, 'StopRefused', { kind: 'done' })
    expect(waitsIn(refused, stop(60), prompt(90))).toEqual([['done', 'answered', 30]])
  })

  it('measures from the end of the last turn if prompts were queued', () => {
    const followed = entry(0, 'StopQueued', { kind: 'done' })
    expect(waitsIn(followed, stop(60), prompt(90))).toEqual([['done', 'answered', 30]])
  })

  it('ignores a turn with running background tasks, and sub-agents', () => {
    expect(waitsIn(stop(0, 1))).toEqual([])
    const child = { sessionId: 's2', facts: { parentSessionId: 's1' } }
    const childStop = { ...stop(5), sessionId: 's2' }
    expect(waitsIn(entry(0, 'SubagentStart', child), childStop)).toEqual([])
  })

  it('counts a repeated question once', () => {
    const again = { ...ask(5), repeatOf: 'PermissionRequest-0' }
    expect(waitsIn(ask(0), again, reply(9))).toEqual([['permission', 'answered', 9]])
  })
})
