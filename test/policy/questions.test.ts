import { describe, expect, it } from 'vitest'
import {
  answeredQuestions,
  isAnswered,
  noteAgentEnd,
  noteAnswer,
  noteCopy,
  noteNextQuestion,
  noteQuestion,
  noteRecorded,
  openQuestions,
  type Questions,
  waitBetween,
} from '../../src/policy/questions.ts'

type Step = (session: Questions) => void

const ask =
  (id: string, at: number, toolUseId = '', agentId?: string): Step =>
  (session) =>
    noteQuestion(session, { id, at, toolUseId, ...(agentId && { agentId }) })
const reply =
  (at: number, toolUseId = ''): Step =>
  (session) => {
    const isAnswerToAll = false
    noteAnswer(
      session,
      { id: `reply ${at}`, at, toolUseId },
      { isAnswerToAll, leavesAgents: false },
      'reply',
    )
  }
const answerAll =
  (at: number, how: 'prompt' | 'went-on' | 'none', leavesAgents = false): Step =>
  (session) =>
    noteAnswer(
      session,
      { id: `all ${at}`, at, toolUseId: '' },
      { isAnswerToAll: true, leavesAgents },
      how,
    )
const recorded =
  (id: string, at: number): Step =>
  (session) =>
    noteRecorded(session, id, { how: 'transcript', at })

function after(...steps: Step[]): Questions {
  const session: Questions = { answeredAt: 0, agentsAnsweredAt: 0, questions: [], replies: [] }
  for (const step of steps) step(session)
  return session
}

describe('a question', () => {
  it.each<[string, string, Step[]]>([
    ['open', 'nothing was answered', []],
    ['prompt at 15', 'everything was answered', [answerAll(15, 'prompt')]],
    [
      'went-on at 15',
      'the agent went on, and then a person did',
      [answerAll(15, 'went-on'), answerAll(16, 'prompt')],
    ],
    ['none at 15', 'its session ended', [answerAll(15, 'none')]],
    ['open', 'everything was answered before', [answerAll(9, 'prompt')]],
    ['transcript at 14', 'its answer is recorded', [recorded('q', 14)]],
    ['open', 'the answer to another one is recorded', [recorded('other', 14)]],
    ['reply at 11', 'its tool call was answered', [reply(11, 'call')]],
    ['open', 'another call was answered', [reply(11, 'x')]],
    ['reply at 12', 'an answer names no question', [reply(12)]],
    ['open', 'an answer that names no question is older', [reply(9)]],
    ['open', 'two are open, one is answered', [ask('b', 11), reply(12)]],
    ['reply at 12', 'both are answered', [ask('b', 11), reply(12), reply(13)]],
    [
      'reply at 14',
      'the other one was answered by its call',
      [ask('b', 11, 'x'), reply(12, 'x'), reply(14)],
    ],
    ['reply at 12', 'another one is asked after its answer', [reply(12), ask('b', 13)]],
    ['went-on at 19', 'the client asks the next one', [(session) => noteNextQuestion(session, 20)]],
    [
      'open',
      'the client asks another one at the same time',
      [(session) => noteNextQuestion(session, 10)],
    ],
    ['open', 'a sub-agent ends', [(session) => noteAgentEnd(session, 'a1', 20)]],
  ])('is %s if %s', (expected, _, steps) => {
    const session = after(ask('q', 10, 'call'), ...steps)
    const { answer } = session.questions.find(({ id }) => id === 'q') ?? {}
    expect(answer ? `${answer.how} at ${answer.at}` : 'open').toBe(expected)
    expect(isAnswered(session, { id: 'q', at: 10 })).toBe(expected !== 'open')
    expect(answeredQuestions(session).includes('q')).toBe(expected !== 'open')
    expect(openQuestions(session).some(({ id }) => id === 'q')).toBe(expected === 'open')
  })

  it('is answered by what was noted before it', () => {
    expect(after(reply(11, 'call'), ask('q', 10, 'call')).questions[0]?.answer).toEqual({
      ...{ how: 'reply', at: 11 },
    })
    expect(after(answerAll(11, 'prompt'), ask('q', 10)).questions[0]?.answer?.how).toBe('went-on')
    expect(after(answerAll(11, 'prompt'), ask('q', 12)).questions[0]?.answer).toBeUndefined()
  })

  it('is answered once, however often entries come', () => {
    const steps = [ask('a', 10), reply(11), ask('b', 12), ask('c', 13), reply(14), reply(15)]
    const session = after(...steps)
    const before = structuredClone(session)
    for (const step of steps) step(session)
    expect(session).toEqual(before)
    expect(session.questions.map(({ answer }) => answer?.at)).toEqual([11, 14, 15])
  })

  it('of a sub-agent stays open at the end of a turn after which agents go on', () => {
    const asked = [ask('q', 10), ask('a', 10, '', 'a1'), ask('b', 10, '', 'a2')]
    const open = (...steps: Step[]) => openQuestions(after(...asked, ...steps)).map(({ id }) => id)
    const turn = answerAll(12, 'went-on', true)
    expect(open(turn)).toEqual(['a', 'b'])
    expect(open(turn, (session) => noteAgentEnd(session, 'a1', 13))).toEqual(['b'])
    expect(open(turn, answerAll(14, 'went-on'))).toEqual([])
  })

  it('has one answer, also under the ids of events that repeat it', () => {
    const session = after(ask('q', 10), (all) => noteCopy(all, 'again', 'q'))
    expect(isAnswered(session, { id: 'again', at: 12 })).toBe(false)
    recorded('again', 14)(session)
    expect(session.questions).toHaveLength(1)
    expect(answeredQuestions(session)).toEqual(['q', 'again'])
  })

  it('that is not known counts as answered once everything was', () => {
    expect(isAnswered(after(reply(13)), { id: 'q', at: 10 })).toBe(false)
    expect(isAnswered(after(answerAll(10, 'prompt')), { id: 'q', at: 10 })).toBe(true)
    expect(isAnswered(after(recorded('q', 10)), { id: 'q', at: 12 })).toBe(true)
  })
})

describe('the time in which a person was waited for', () => {
  it.each<[number, string, Step[]]>([
    [0, 'nothing is asked', []],
    [40, 'a question is answered', [ask('q', 110), answerAll(150, 'prompt')]],
    [90, 'it is open', [ask('q', 110)]],
    [50, 'it was asked before', [ask('q', 90), answerAll(150, 'prompt')]],
    [50, 'two overlap', [ask('q', 110, 'x'), ask('r', 120, 'y'), reply(130, 'y'), reply(160, 'x')]],
    [20, 'two follow', [ask('q', 110, 'x'), reply(120, 'x'), ask('r', 150, 'y'), reply(160, 'y')]],
    [0, 'it was answered before', [ask('q', 10), answerAll(50, 'prompt')]],
    [0, 'a sub-agent still waits', [ask('q', 110, '', 'a1')]],
    [10, 'a sub-agent has waited', [ask('q', 110, '', 'a1'), answerAll(120, 'went-on')]],
  ])('is %i if %s', (expected, _, steps) => {
    expect(waitBetween(after(...steps), 100, 200)).toBe(expected)
  })
})
