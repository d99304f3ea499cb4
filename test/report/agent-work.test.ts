import { describe, expect, it } from 'vitest'
import type { AcceptedEntry, AnswerSign, JournalEntry } from '../../src/journal/entry.ts'
import { AgentWork } from '../../src/report/agent-work.ts'

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

const ask = (seconds: number, fields: Partial<AcceptedEntry> = {}) =>
  entry(seconds, 'PermissionRequest', { kind: 'permission', ...fields })
const stop = (seconds: number, facts: AcceptedEntry['facts'] = {}) =>
  entry(seconds, 'Stop', { kind: 'done', facts })
const fail = (seconds: number) => entry(seconds, 'StopFailure', { kind: 'failed' })
const prompt = (seconds: number) => entry(seconds, 'UserPromptSubmit')
const idle = (seconds: number, notificationType = 'idle_prompt') =>
  entry(seconds, 'Notification', { kind: 'waiting', facts: { notificationType } })
const end = (seconds: number) => entry(seconds, 'SessionEnd', { kind: 'ended' })
const of = { client: 'claude', sessionId: 's1' }
const answered = (seconds: number, question: number, how: AnswerSign = 'reply'): JournalEntry => {
  const at = start + seconds * 1000
  const id = `PermissionRequest-${question}`
  return { ...of, at: at + 9000, id, type: 'answered', how, answeredAt: at }
}
const unanswered = (seconds: number, question: number): JournalEntry => {
  const id = `PermissionRequest-${question}`
  return { ...of, at: start + seconds * 1000, id, type: 'unanswered' }
}

/** The kind of each wait, how it ended, and its duration in seconds. */
function waitsIn(...entries: JournalEntry[]) {
  return new AgentWork(entries).waits.map(({ kind, at, end: ended }) =>
    ended ? [kind, ended.how, (ended.at - at) / 1000] : [kind, 'open'],
  )
}

describe('the work of agents', () => {
  it('has each question with the end that is recorded, however the session goes on', () => {
    expect(waitsIn(ask(0), answered(30, 0))).toEqual([['permission', 'reply', 30]])
    expect(waitsIn(ask(0), prompt(40))).toEqual([['permission', 'open']])
    expect(waitsIn(ask(0), ask(5), answered(30, 5, 'transcript'), stop(60))).toEqual([
      ['permission', 'open'],
      ['permission', 'transcript', 25],
      ['done', 'open'],
    ])
    expect(waitsIn(ask(0), unanswered(50, 0))).toEqual([['permission', 'none', 50]])
  })

  it('counts the first end of a question', () => {
    expect(waitsIn(ask(0), answered(30, 0), answered(40, 0, 'prompt'))).toEqual([
      ['permission', 'reply', 30],
    ])
    expect(waitsIn(answered(30, 0))).toEqual([])
  })

  it('has one wait from the end of a turn to the next prompt', () => {
    expect(waitsIn(stop(0), idle(60), prompt(90))).toEqual([['done', 'prompt', 90]])
    expect(waitsIn(idle(60), prompt(90))).toEqual([['waiting', 'prompt', 30]])
    expect(waitsIn(stop(0), end(90))).toEqual([['done', 'none', 90]])
    expect(waitsIn(fail(0), stop(90))).toEqual([
      ['failed', 'went-on', 90],
      ['done', 'open'],
    ])
    expect(waitsIn(stop(0), entry(90, 'Interrupt'))).toEqual([['done', 'interrupt', 90]])
  })

  it('has a wait of its own for a notice that asks something, but none for an idle one', () => {
    expect(waitsIn(ask(0), idle(60))).toEqual([['permission', 'open']])
    const both = new AgentWork([stop(0), idle(9, 'agent_needs_input'), prompt(90)]).waits
    expect(both.map(({ kind, asks, end: ended }) => [kind, asks, ended?.how])).toEqual([
      ['done', false, 'prompt'],
      ['waiting', true, 'prompt'],
    ])
  })

  it.each(['StopRefused', 'StopQueued'])('begins no wait, and no turn ends, at %s', (means) => {
    const goesOn = entry(0, means, { kind: 'done' })
    const entries = [goesOn, stop(60), prompt(90)]
    expect(waitsIn(...entries)).toEqual([['done', 'prompt', 30]])
    expect(new AgentWork(entries).turns.map(({ id }) => id)).toEqual(['Stop-60'])
  })

  it('waits for nobody at a turn that leaves tasks running, or of a sub-agent', () => {
    expect(waitsIn(stop(0, { backgroundTasks: 1 }))).toEqual([])
    const child = { sessionId: 's2', facts: { parentSessionId: 's1' } }
    const entries = [entry(0, 'SubagentStart', child), { ...stop(5), sessionId: 's2' }]
    expect(waitsIn(...entries)).toEqual([])
    expect(new AgentWork(entries).turns).toEqual([])
  })

  it('waits for the answer to what a sub-agent asks', () => {
    const child = { sessionId: 's2', facts: { parentSessionId: 's1' } }
    const asked = { ...ask(5), sessionId: 's2' }
    expect(waitsIn(entry(0, 'SubagentStart', child), asked, answered(9, 5))).toEqual([
      ['permission', 'reply', 4],
    ])
  })

  it('has a question once, of how many events it consists', () => {
    const again = { ...ask(5), repeatOf: 'PermissionRequest-0' }
    const copy = { ...ask(6), duplicateOf: 'PermissionRequest-0' }
    expect(waitsIn(ask(0), ask(0), again, copy, answered(9, 0))).toEqual([
      ['permission', 'reply', 9],
    ])
  })

  it('has how long a turn took, and how much of that it waited', () => {
    const facts = { durationMs: 60_000, waitingMs: 20_000 }
    const at = (seconds: number) => start + seconds * 1000
    expect(new AgentWork([stop(90, facts), stop(99), fail(120)]).turns).toEqual([
      { id: 'Stop-90', at: at(90), project: 'shop', tookMs: 60_000, waitingMs: 20_000 },
      { id: 'Stop-99', at: at(99), project: 'shop', waitingMs: 0 },
      { id: 'StopFailure-120', at: at(120), project: 'shop', waitingMs: 0 },
    ])
  })

  it('has nothing that hookbell itself has made', () => {
    const test = { ...idle(0), client: 'hookbell' }
    const canary = { ...ask(1), event: 'HookbellCanary' }
    expect(waitsIn(test, canary)).toEqual([])
  })
})
