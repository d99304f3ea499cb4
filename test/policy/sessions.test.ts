import { describe, expect, it } from 'vitest'
import type { JournalEntry } from '../../src/journal/entry.ts'
import { Memory } from '../../src/policy/memory.ts'
import { answeredQuestions, isAnswered } from '../../src/policy/questions.ts'
import {
  emptySession,
  foldSession,
  isOver,
  restoreSessions,
  type Sessions,
  sessionKey,
} from '../../src/policy/sessions.ts'

const nothing = emptySession()
it.each<[boolean, string, number]>([
  [true, 'done', 11],
  [false, 'done', 10],
  [false, 'ended', 11],
  [false, 'permission', 11],
])(
  'an event is over: %s, if its kind is %s and the latest prompt came at %i',
  (expected, kind, promptAt) => {
    expect(isOver({ ...nothing, promptAt }, { id: 'e', at: 10, kind })).toBe(expected)
    expect(isOver(undefined, { id: 'e', at: 10, kind })).toBe(false)
  },
)

it('an event is over if its question was answered', () => {
  const event = { id: 'e', at: 10, kind: 'permission' }
  expect(isOver({ ...nothing, answeredAt: 10 }, event)).toBe(true)
})

describe('the memory of sessions', () => {
  const entry = (id: string, more: object = {}): JournalEntry => ({
    ...{ type: 'accepted', id, at: 1, acceptedAt: 1, event: 'PermissionRequest', title: '' },
    ...{ kind: 'permission', client: 'claude', sessionId: 's', project: '', to: [] },
    facts: { means: 'PermissionRequest' },
    ...more,
  })
  const folded = (entries: JournalEntry[], sessions: Sessions = restoreSessions(undefined)) => {
    for (const one of entries) foldSession(sessions, one)
    return sessions
  }
  const idsIn = (sessions: Sessions) =>
    sessions.get(sessionKey({ client: 'claude', sessionId: 's' }))?.questions.map(({ id }) => id)

  it('keeps the question of a sub-agent open although the turn ends', () => {
    const agent = (agentId: string) => ({ facts: { means: 'PermissionRequest', agentId } })
    const event = (means: string, acceptedAt: number, facts: object = {}) => ({
      ...{ event: means, kind: 'other', acceptedAt, facts: { means, ...facts } },
    })
    const sessions = folded([entry('q'), entry('q1', agent('a1')), entry('q2', agent('a2'))])
    const open = (...entries: JournalEntry[]) => {
      const session = folded(entries, sessions).get(
        sessionKey({ client: 'claude', sessionId: 's' }),
      )
      const isOpen = (id: string) => session !== undefined && !isAnswered(session, { id, at: 1 })
      return ['q', 'q1', 'q2'].filter(isOpen)
    }
    expect(open()).toEqual(['q', 'q1', 'q2'])
    const turn = entry('stop', event('Stop', 2, { backgroundAgents: 2 }))
    expect(open(turn, turn)).toEqual(['q1', 'q2'])
    expect(open(entry('end', event('SubagentStop', 3, { agentId: 'a1' })))).toEqual(['q2'])
    expect(open(entry('own', event('TurnStart', 4)))).toEqual(['q2'])
    expect(open(entry('last', event('Stop', 5)))).toEqual([])
  })

  it('keeps the question of a sub-agent of Codex open, although Codex names no sub-agents when a turn ends', () => {
    const codex = (id: string, means: string, acceptedAt: number, agentId?: string) =>
      entry(id, {
        ...{ client: 'codex', event: means, acceptedAt, facts: { means, agentId } },
        kind: means === 'PermissionRequest' ? 'permission' : 'other',
      })
    const sessions = folded([
      codex('q', 'PermissionRequest', 1),
      codex('q1', 'PermissionRequest', 1, 'a1'),
    ])
    const isOpen = (id: string) => {
      const session = sessions.get(sessionKey({ client: 'codex', sessionId: 's' }))
      return session !== undefined && !isAnswered(session, { id, at: 1 })
    }
    folded([codex('stop', 'Stop', 2)], sessions)
    expect([isOpen('q'), isOpen('q1')]).toEqual([false, true])
    folded([codex('other', 'SubagentStop', 3, 'a2')], sessions)
    expect(isOpen('q1')).toBe(true)
    folded([codex('end', 'SubagentStop', 4, 'a1')], sessions)
    expect(isOpen('q1')).toBe(false)
  })

  it.each(['elicitation_response', 'elicitation_complete'])(
    'recognizes the answer to a form of an MCP server: %s',
    (notificationType) => {
      const asked = { notificationType: 'elicitation_dialog', means: 'Notification' }
      const sessions = folded([entry('q', { facts: asked })])
      const isOpen = () => {
        const session = sessions.get(sessionKey({ client: 'claude', sessionId: 's' }))
        return session !== undefined && !isAnswered(session, { id: 'q', at: 1 })
      }
      expect(isOpen()).toBe(true)
      const answer = { kind: 'other', acceptedAt: 2, facts: { ...asked, notificationType } }
      folded([entry('a', answer)], sessions)
      expect(isOpen()).toBe(false)
    },
  )

  it('includes the answers that the journal has', () => {
    const of = { at: 3, client: 'claude', sessionId: 's' }
    const sessions = folded([
      ...['q1', 'q2', 'q3'].map((id) => entry(id)),
      { ...of, type: 'answered', id: 'q1', how: 'transcript', answeredAt: 2 },
      { ...of, type: 'unanswered', id: 'q2' },
    ])
    expect([...sessions.values()].map(answeredQuestions)).toEqual([['q1', 'q2']])
  })

  it('gives each answer once, with what showed it', () => {
    const event = (id: string, means: string, acceptedAt: number, more: object = {}) =>
      entry(id, { event: means, kind: 'other', acceptedAt, facts: { means, ...more } })
    const answersAfter = (...entries: JournalEntry[]) => {
      const memory = new Memory()
      for (const one of [entry('q'), ...entries]) memory.fold(one)
      const answers = memory.takeAnswers(9)
      expect(memory.takeAnswers(9)).toEqual([])
      return answers
    }
    const of = { at: 9, id: 'q', client: 'claude', sessionId: 's' }
    const answered = { ...of, type: 'answered', answeredAt: 5 }
    expect(answersAfter()).toEqual([])
    expect(answersAfter(event('p', 'UserPromptSubmit', 5))).toEqual([
      { ...answered, how: 'prompt' },
    ])
    expect(answersAfter(event('r', 'PermissionReplied', 5))).toEqual([
      { ...answered, how: 'reply' },
    ])
    expect(answersAfter(event('i', 'Interrupt', 5))).toEqual([{ ...answered, how: 'interrupt' }])
    expect(answersAfter(event('s', 'Stop', 5))).toEqual([{ ...answered, how: 'went-on' }])
    expect(answersAfter(event('e', 'SessionEnd', 5))).toEqual([{ ...of, type: 'unanswered' }])
    // Codex takes up a prompt within a turn long after it was written.
    const turn = { turnId: 't1' }
    const asked = event('p1', 'UserPromptSubmit', 0, turn)
    const late = event('p2', 'UserPromptSubmit', 5, turn)
    expect(answersAfter(asked, late)).toEqual([{ ...answered, how: 'went-on' }])
    const known: JournalEntry = { ...of, type: 'answered', how: 'transcript', answeredAt: 4 }
    expect(answersAfter(known, event('p', 'UserPromptSubmit', 5))).toEqual([])
  })

  it('keeps the 1,500 sessions with the latest events', () => {
    const ids = Array.from({ length: 1500 }, (_, index) => `s${index}`)
    const sessions = folded([...ids, 's0', 'new'].map((id) => entry(id, { sessionId: id })))
    const left = [...sessions.keys()].map((key) => key.split(' ')[1])
    expect(left).toEqual([...ids.slice(2), 's0', 'new'])
  })

  it('keeps the latest hundred questions of a session, even when all entries come again', () => {
    const entries = Array.from({ length: 110 }, (_, at) => entry(`q${at}`, { acceptedAt: at }))
    const latest = entries.slice(10).map(({ id }) => id)
    const sessions = folded(entries)
    expect(idsIn(sessions)).toEqual(latest)
    expect(idsIn(folded(entries, sessions))).toEqual(latest)
  })

  it('ignores duplicates, repeats, and events without a session or a meaning', () => {
    const ignored = [{ duplicateOf: 'x' }, { repeatOf: 'x' }, { sessionId: '' }, { facts: {} }]
    expect(folded(ignored.map((more, index) => entry(`${index}`, more))).size).toBe(0)
    const of = { at: 1, id: 'q', client: 'claude', sessionId: 's' }
    expect(folded([{ ...of, type: 'answered', how: 'reply', answeredAt: 1 }]).size).toBe(0)
  })

  it('knows whether a session runs without a person until an event says something else', () => {
    const facts = { means: 'PermissionRequest' }
    const sessions = folded([entry('a', { facts: { ...facts, isHeadless: true } }), entry('b')])
    expect([...sessions.values()].map(({ isHeadless }) => isHeadless)).toEqual([true])
  })
})
