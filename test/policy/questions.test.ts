import { describe, expect, it } from 'vitest'
import { answeredQuestions, isAnswered, type Questions } from '../../src/policy/questions.ts'

const nothing: Questions = { answeredAt: 0, questions: [], replies: [] }
const asked = { id: 'q', at: 10, toolUseId: '' }
const named = { ...asked, toolUseId: 'call' }
const other = { id: 'other', at: 12, toolUseId: '' }
const reply = (at: number, toolUseId = '') => ({ id: `reply ${at}`, at, toolUseId })

describe('a question', () => {
  it.each<[boolean, string, Partial<Questions>]>([
    [false, 'nothing was answered', { questions: [asked] }],
    [true, 'everything was answered at that moment', { questions: [asked], answeredAt: 10 }],
    [false, 'everything was answered before', { questions: [asked], answeredAt: 9 }],
    [true, 'its answer was seen elsewhere', { questions: [asked], answered: ['q'] }],
    [false, 'the answer to another was seen', { questions: [asked], answered: ['other'] }],
    [true, 'its tool call was answered', { questions: [named], replies: [reply(9, 'call')] }],
    [false, 'another call was answered', { questions: [named], replies: [reply(11, 'x')] }],
    [
      false,
      'a call was answered, but the question names none',
      { questions: [asked], replies: [reply(11, 'x')] },
    ],
    [true, 'an answer names no question', { questions: [asked], replies: [reply(10)] }],
    [
      false,
      'an answer that names no question is older',
      { questions: [asked], replies: [reply(9)] },
    ],
    [false, 'two are open, one is answered', { questions: [asked, other], replies: [reply(13)] }],
    [true, 'both are answered', { questions: [asked, other], replies: [reply(13), reply(14)] }],
    [
      true,
      'the other one was answered by its call',
      {
        questions: [asked, { ...other, toolUseId: 'call' }],
        replies: [reply(13, 'call'), reply(14)],
      },
    ],
    [false, 'it is not known', { replies: [reply(13)] }],
    [true, 'it is not known, and everything was answered', { answeredAt: 10 }],
  ])('is answered: %s, if %s', (expected, _, more) => {
    const session = { ...nothing, ...more }
    expect(isAnswered(session, { id: 'q', at: 10 })).toBe(expected)
    expect(answeredQuestions(session).includes('q')).toBe(expected && session.questions.length > 0)
  })
})
