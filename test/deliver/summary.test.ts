import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  summarize,
  withLine,
  withOpenQuestions,
  withoutAnswered,
} from '../../src/deliver/summary.ts'
import { type Delivery, deliverySchema } from '../../src/delivery.ts'
import { whoOf } from '../../src/notifiers/_text.ts'
import { makeDelivery } from '../support/delivery.ts'

function asking(id: string, text: string) {
  const asked = { id, at: 1, toolUseId: '', transcriptPath: '', title: 'asks you', text }
  const delivery = makeDelivery(id, { kind: 'permission', questions: [asked] })
  return { ...delivery, message: { ...delivery.message, title: asked.title } }
}

function withBody(body: string, markup: string) {
  const delivery = makeDelivery('x')
  return { ...delivery, message: { ...delivery.message, body, markup } }
}

describe('a message that replaces open questions', () => {
  it('also contains these questions', () => {
    const { questions: others = [] } = asking('a', 'Bash: make')
    const { message } = withOpenQuestions(asking('b', 'Bash: make test'), others)
    expect(message.title).toBe('asks you and 1 more')
    expect(message.body.split('\n').at(-1)).toBe('Bash: make')
  })

  it('counts the events of a summary, and shows ten of many questions, each shortened', () => {
    const long = 'make '.repeat(100)
    const others = Array.from(
      { length: 12 },
      (_, index) => asking(`${index}`, long).questions ?? [],
    )
    const summary = summarize([asking('a', 'Bash: make'), asking('b', 'Bash: ls')])
    const { message } = withOpenQuestions(summary, others.flat())
    expect(message.title).toBe('asks you and 13 more')
    const lines = message.body.split('\n')
    expect(lines.slice(0, 2)).toEqual(['Bash: make', 'Bash: ls'])
    expect(lines).toHaveLength(12)
    expect(lines.every(({ length }) => length <= 200)).toBe(true)
  })

  it('begins with these questions if it has no text', () => {
    const { questions: others = [] } = asking('a', 'Bash: make')
    expect(withOpenQuestions(withBody('', ''), others).message.body).toBe('Bash: make')
  })

  it('is unchanged if no question is open', () => {
    const delivery = asking('b', 'Bash: make test')
    expect(withOpenQuestions(delivery, [])).toBe(delivery)
  })
})

describe('a message of which some questions were answered', () => {
  const others = [asking('b', 'Bash: ls'), asking('c', 'Bash: pwd')].flatMap(
    ({ questions = [] }) => questions,
  )

  it('keeps its whole text and the questions that are still open', () => {
    const own = asking('a', 'Bash: make')
    const body = 'Bash: make\n1. yes\n2. no'
    const told = { events: own.events, message: { ...own.message, body } }
    const questions = [...(own.questions ?? []), ...others]
    expect(withoutAnswered(told, questions, ['b'])).toMatchObject({
      title: 'asks you and 1 more',
      body: `${body}\nBash: pwd`,
    })
    expect(withoutAnswered(told, questions, ['b', 'c'])).toMatchObject({ title: 'asks you', body })
    expect(withoutAnswered(told, questions, ['a', 'c'])).toMatchObject({
      title: 'asks you',
      body: 'Bash: ls',
    })
  })

  it('loses the line of each of them once, if it is a summary', () => {
    const failure = makeDelivery('x', { urgency: 'critical' })
    const same = [asking('a', 'Bash: make'), asking('b', 'Bash: make'), asking('c', 'Bash: ls')]
    const { questions = [], ...told } = summarize([failure, ...same])
    const { title, body } = withoutAnswered(told, questions, ['a', 'c'])
    expect(title).toBe('title of x and 1 more')
    expect(body.split('\n')).toEqual([expect.stringContaining('title of x'), 'Bash: make'])
    expect(withoutAnswered(told, questions, ['a', 'b', 'c'])).toMatchObject({
      ...{ title: 'title of x', body: 'title of x · body of x' },
    })
  })

  it('has the title of what is left, if it began with a question that was answered', () => {
    const failure = makeDelivery('x', { urgency: 'critical' })
    const critical = { ...asking('a', 'Bash: make'), urgency: 'critical' } as const
    const { questions = [], ...told } = summarize([critical, failure])
    expect(told.message.title).toBe('asks you and 1 more')
    expect(withoutAnswered(told, questions, ['a'])).toMatchObject({
      ...{ title: 'title of x · body of x', body: 'title of x · body of x' },
    })
  })

  it('mentions everything else once, and counts it', () => {
    const kinds = fc.array(fc.constantFrom('asks', 'fails'), { minLength: 1, maxLength: 10 })
    const make = (kind: string, index: number) => {
      if (kind === 'fails') return makeDelivery(`${index}.`, { urgency: 'critical' })
      const { message, ...delivery } = asking(`${kind} ${index}`, `${kind} ${index}.`)
      return { ...delivery, message: { ...message, body: `${kind} ${index}.` } }
    }
    const textsIn = (body: string) => body.match(/(?:body of|asks|before) \d+\./g)?.sort()
    fc.assert(
      fc.property(kinds, fc.nat(10), fc.array(fc.nat(20)), (own, count, over) => {
        const [first = expect.fail(), ...rest] = own.map(make)
        const delivery = rest.length > 0 ? summarize([first, ...rest]) : first
        const before = Array.from({ length: count }, (_, index) => make('before', index))
        const others = before.flatMap(({ questions = [] }) => questions)
        const questions = [...(delivery.questions ?? []), ...others]
        const answered = over.flatMap((index) => questions[index]?.id ?? [])
        const open = questions.filter(({ id }) => !answered.includes(id))
        const failures = own.flatMap((kind, index) => (kind === 'fails' ? `body of ${index}.` : []))
        const textsOf = (asked: typeof open) =>
          [...failures, ...asked.map(({ text }) => text)].sort()
        fc.pre(textsOf(open).length > 0)
        expect(textsIn(withOpenQuestions(delivery, others).message.body)).toEqual(
          textsOf(questions),
        )
        const { title, body } = withoutAnswered(delivery, questions, answered)
        expect(textsIn(body)).toEqual(textsOf(open))
        const [, more = 0] = / and (\d+) more$/.exec(title) ?? []
        expect(Number(more) + 1).toBe(textsOf(open).length)
      }),
    )
  })

  it('says how many events have no line in it, if it is a long summary', () => {
    const all = Array.from({ length: 13 }, (_, index) => asking(`${index}`, `make ${index}`))
    const { questions = [], ...told } = summarize(all as [Delivery])
    const linesWithout = (...ids: string[]) =>
      withoutAnswered(told, questions, ids).body.split('\n').slice(-2)
    expect(told.message.body.split('\n').slice(-2)).toEqual(['make 9', 'and 3 more'])
    expect(linesWithout('0')).toEqual(['make 9', 'and 3 more'])
    expect(linesWithout('0', '11')).toEqual(['make 9', 'and 2 more'])
    expect(linesWithout('10', '11', '12')).toEqual(['make 8', 'make 9'])
  })
})

describe('a summary', () => {
  const from = (event: string, host: string, project: string) => {
    const { message, ...rest } = makeDelivery(event)
    const origin = { label: event, project, branch: 'main', host, reply: '' }
    return {
      ...rest,
      message: { ...message, title: `${project}: done`, origin, cwd: `/${project}` },
    }
  }

  it('names the machine of each message if there are several', () => {
    const { message } = summarize([from('a', 'box-1', 'shop'), from('b', 'box-2', 'shop')])
    expect(message.body.split('\n')).toEqual([
      'box-1 · shop: done · body of a',
      'box-2 · shop: done · body of b',
    ])
    expect(whoOf(message)).toEqual(['claude', 'main'])
  })

  it('contains a text that several have once, so that there is room for their names', () => {
    const failed = (project: string, body: string) => {
      const { message, ...delivery } = makeDelivery(project, { kind: 'failed' })
      return { ...delivery, message: { ...message, title: `${project}: limit reached`, body } }
    }
    const limit = 'The limit is over at 15:00.'
    const first = summarize([failed('shop', limit), failed('api', limit), failed('web', 'Busy')])
    const lines = [
      `shop: limit reached · ${limit}`,
      'api: limit reached',
      'web: limit reached · Busy',
    ]
    expect(first.message).toMatchObject({
      title: 'shop: limit reached and 2 more',
      body: lines.join('\n'),
    })
    // A summary of it loses none of them.
    const { message } = summarize([first, failed('docs', limit)])
    expect(message.body.split('\n').map((line) => line.split(':')[0])).toEqual([
      'shop',
      'api',
      'web',
      'docs',
    ])
  })

  it('names the project of each question if there are several', () => {
    const questionIn = (project: string, id: string) => {
      const { questions = [] } = asking(id, 'Bash: make')
      const delivery = from(id, 'box-1', project)
      const message = { ...delivery.message, title: `${project}: asks you`, body: 'Bash: make' }
      return { ...delivery, questions, message }
    }
    const { questions, ...told } = summarize([questionIn('shop', 'a'), questionIn('api', 'b')])
    expect(told.message.body).toBe('shop: asks you · Bash: make\napi: asks you · Bash: make')
    const left = withoutAnswered(told, questions ?? [], ['a'])
    expect(left.body).toBe('api: asks you · Bash: make')
    const ofOne = summarize([questionIn('shop', 'a'), questionIn('shop', 'b')])
    expect(ofOne.message.body).toBe('Bash: make\nBash: make')
  })

  it('names once what all messages have in common', () => {
    const { message } = summarize([from('a', 'box-1', 'shop'), from('b', 'box-1', 'api')])
    expect(message.body).not.toContain('box-1')
    expect(whoOf(message)).toEqual(['claude', 'on box-1'])
  })

  const of = (event: string, sessionId: string) => {
    const delivery = makeDelivery(event, { session: `claude ${sessionId}` })
    return { ...delivery, message: { ...delivery.message, sessionId } }
  }

  it('says what each message is about, and begins with the first that is urgent', () => {
    const about = (id: string, title: string, body: string, isFailed = false) => {
      const delivery = makeDelivery(id)
      const [urgency, kind] = isFailed ? ['critical', 'failed'] : ['normal', 'done']
      const told = { urgency, kind } as Pick<typeof delivery, 'urgency' | 'kind'>
      return { ...delivery, ...told, message: { ...delivery.message, ...told, title, body } }
    }
    const { message, kind } = summarize([
      about('a', 'shop: done in 4 min', 'All tests pass.\n\nI renamed it.'),
      about('b', 'shop: failed', 'overloaded', true),
      about('c', 'shop: done', ''),
    ])
    expect(message).toMatchObject({
      ...{ title: 'shop: failed and 2 more', kind: 'failed', urgency: 'critical' },
      body: [
        'shop: done in 4 min · All tests pass.',
        'shop: failed · overloaded',
        'shop: done',
      ].join('\n'),
    })
    // Rules still apply to the kind of the first message.
    expect(kind).toBe('done')
  })

  it('counts each message once if one of them is a summary that could not be sent', () => {
    const of = (...ids: string[]) =>
      summarize(ids.map((id) => makeDelivery(id)) as [ReturnType<typeof makeDelivery>])
    const { message } = summarize([of('a', 'b', 'c'), makeDelivery('d')])
    expect(message.title).toBe('title of a and 3 more')
    expect(message.body.split('\n')).toEqual([
      ...['a', 'b', 'c', 'd'].map((id) => `title of ${id} · body of ${id}`),
    ])
    const many = of(...Array.from({ length: 12 }, (_, index) => `${index}`))
    const lines = summarize([many, makeDelivery('d')]).message.body.split('\n')
    expect(lines).toHaveLength(11)
    expect(lines.at(-1)).toBe('and 3 more')
  })

  it('of one session belongs to it', () => {
    const { session, message } = summarize([of('a', 's1'), of('b', 's1')])
    expect([session, message.sessionId]).toEqual(['claude s1', 's1'])
  })

  it('of several sessions belongs to none of them', () => {
    const summary = summarize([of('a', 's1'), of('b', 's2')])
    expect([summary.session, summary.message.sessionId]).toEqual(['a.file', ''])
    const next = summarize([summary, of('c', 's1')])
    expect([next.session, next.message.sessionId]).toEqual(['a.file', ''])
  })
})

describe('a message whose text was changed', () => {
  it('has no markup, since that would still show the original text', () => {
    const delivery = withBody('text', '<b>text</b>')
    const { questions: others = [] } = asking('a', 'Bash: make')
    const changed = [
      withLine(delivery, 'a line'),
      withOpenQuestions(delivery, others),
      summarize([delivery, makeDelivery('b')]),
    ]
    expect(changed.map(({ message }) => message.markup)).toEqual(['', '', ''])
  })

  it('begins with the added line, and consists of it if it had no text', () => {
    expect(withLine(withBody('text', ''), 'a line').message.body).toBe('a line\ntext')
    expect(withLine(withBody('', ''), 'a line').message.body).toBe('a line')
  })
})

describe('a summary', () => {
  it('names its origin as far as all of its messages share it', () => {
    const from = (event: string, more: object, { cwd = '/srv/shop', client = 'claude' } = {}) => {
      const delivery = makeDelivery(event)
      const origin = { label: 'blue', project: 'shop', branch: 'main', host: 'box', reply: '' }
      const message = { ...delivery.message, origin: { ...origin, ...more }, cwd, client }
      return { ...delivery, message }
    }
    const there = { cwd: '/srv/blog', client: 'codex' }
    const blog = { label: 'red', project: 'blog' }
    expect(summarize([from('a', {}), from('b', blog, there)]).message).toMatchObject({
      origin: { label: '', project: '', branch: '', host: 'box', reply: '' },
      ...{ cwd: '', client: '' },
    })
    expect(summarize([from('a', {}), from('b', { label: 'red' })]).message).toMatchObject({
      origin: { label: '', project: 'shop', branch: 'main', host: 'box', reply: '' },
      ...{ cwd: '/srv/shop', client: 'claude' },
    })
    expect(summarize([from('a', {}), makeDelivery('b')]).message).not.toHaveProperty('origin')
  })

  it('shortens long titles', () => {
    const delivery = withBody('text', '')
    const message = { ...delivery.message, title: 'x'.repeat(1000) }
    const summary = summarize([{ ...delivery, message }, makeDelivery('b')]).message
    expect(summary.title.length).toBeLessThan(250)
    expect(summary.body.split('\n').map(({ length }) => length <= 200)).toEqual([true, true])
  })

  it('has the title of the first delivery and the number of the others', () => {
    const all = ['a', 'b', 'c'].map((id) => makeDelivery(id)) as [ReturnType<typeof makeDelivery>]
    const { message, events, id } = summarize(all)
    expect(message.title).toBe('title of a and 2 more')
    expect(message.body).toBe(
      'title of a · body of a\ntitle of b · body of b\ntitle of c · body of c',
    )
    expect([events, id]).toEqual([['a', 'b', 'c'], 'a.file'])
  })

  it('shows the texts of questions, because their titles are all alike', () => {
    const [one, two] = [asking('a', 'Bash: make'), asking('b', 'Bash: make test')]
    const { message, questions } = summarize([one, two])
    expect(message.body).toBe('Bash: make\nBash: make test')
    expect(questions?.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(summarize([makeDelivery('c'), two]).questions).toEqual(two.questions)
    expect(summarize([makeDelivery('c'), makeDelivery('d')])).not.toHaveProperty('questions')
  })

  it('is as urgent as its most urgent message, as old as its oldest, and without attempts', () => {
    const tried = { attempts: 7, firstTriedAt: 5, expires: 9, acceptedAt: 3 }
    const summary = summarize([
      makeDelivery('a', tried),
      makeDelivery('b', { urgency: 'critical', acceptedAt: 2 }),
    ])
    const fresh = { attempts: 0, firstTriedAt: 0, expires: 0 }
    expect(summary).toMatchObject({ ...fresh, acceptedAt: 2, urgency: 'critical' })
    expect(summary.message.urgency).toBe('critical')
  })

  it('is sent to every recipient who lacks one of its messages', () => {
    const lacked = (...remaining: string[]) => makeDelivery('a', { remaining })
    expect(summarize([lacked('b'), lacked('b', 'c')]).remaining).toEqual(['b', 'c'])
    expect(summarize([lacked('b'), makeDelivery('a')]).remaining).toBeUndefined()
    expect(summarize([makeDelivery('a'), lacked('b')]).remaining).toBeUndefined()
  })

  it('stays shown if one of its messages asks something at the end of a turn', () => {
    const { message, ...delivery } = makeDelivery('a')
    const asks = { ...delivery, message: { ...message, asks: true } }
    expect(summarize([makeDelivery('b'), asks]).message.asks).toBe(true)
    expect(summarize([makeDelivery('b'), makeDelivery('c')]).message.asks).toBeUndefined()
  })

  it.each([11, 13])('of %s shows ten lines and the number of the remaining ones', (length) => {
    const all = Array.from({ length }, (_, index) => makeDelivery(`${index}`))
    const lines = summarize(all as [(typeof all)[0]]).message.body.split('\n')
    expect(lines).toHaveLength(11)
    expect(lines.at(-1)).toBe(`and ${length - 10} more`)
  })

  it('shows the line of an urgent message and of a question, however many came before', () => {
    const done = Array.from({ length: 12 }, (_, index) => makeDelivery(`${index}`))
    const { message, ...asking } = makeDelivery('asking')
    const asks = { ...asking, message: { ...message, asks: true } }
    const failed = makeDelivery('failed', { urgency: 'critical' })
    const of = (...all: Delivery[]) => summarize(all as [Delivery]).message
    const whole = of(...done, asks, failed)
    expect(whole.title).toBe('title of failed and 13 more')
    const lines = whole.body.split('\n')
    expect(lines.slice(7)).toEqual([
      'title of 7 · body of 7',
      'title of asking · body of asking',
      'title of failed · body of failed',
      'and 4 more',
    ])
    expect(of(...done, asks).title).toBe('title of asking and 12 more')
  })

  it('counts every event and is itself a valid delivery', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.uuid(), { minLength: 1 }), { minLength: 2 }), (groups) => {
        const all = groups.map((events) => makeDelivery(events[0] ?? '', { events }))
        const summary = summarize(all as [(typeof all)[0]])
        expect(summary.events).toEqual(groups.flat())
        expect(summary.message.title).toContain(`and ${groups.flat().length - 1} more`)
        const hidden = groups.flat().length - Math.min(groups.length, 10)
        expect(summary.message.body.endsWith(`and ${hidden} more`)).toBe(hidden > 0)
        expect(deliverySchema.safeParse(summary).success).toBe(true)
      }),
    )
  })
})
