import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ShownMessages } from '../../../src/worker/watch/shown-messages.ts'
import { buildProgram } from '../../support/program.ts'
import { hasStrace, writingCalls } from '../../support/system-calls.ts'
import { makeWorld } from '../_world.ts'

function message(handle: string, channel = 'desk') {
  const about = { session: 's', event: 'e', client: 'claude', sessionId: 's1' }
  return {
    ...about,
    channel,
    handle,
    kind: 'permission' as const,
    at: 1,
    questions: [],
    sessionEnv: {},
  }
}

const handlesOf = (messages: ShownMessages) => messages.list().map(({ handle }) => handle)

it('a message is in the list once, at the end, until it is removed', () => {
  const messages = new ShownMessages(makeWorld().stateDir, Date.now)
  for (const handle of ['one', 'two', 'one']) messages.add(message(handle))
  expect(handlesOf(messages)).toEqual(['two', 'one'])
  messages.add(message('two', 'phone'))
  messages.remove(message('two'))
  expect(messages.take(message('two'), Number.POSITIVE_INFINITY)).toBe(false)
  expect(messages.list()).toEqual([message('one'), message('two', 'phone')])
})

it('a message can be taken once, until it is added again or the worker that took it was killed', () => {
  const { stateDir } = makeWorld()
  let now = 0
  const [first, second] = [1, 2].map(() => new ShownMessages(stateDir, () => now))
  first?.add(message('one'))
  expect([first?.take(message('one'), 10), second?.take(message('one'), 10)]).toEqual([true, false])
  now = 10
  expect(second?.take(message('one'), 20)).toBe(true)
  second?.add(message('one'))
  expect(first?.take(message('one'), 20)).toBe(true)
  // The clock was set back.
  now = 0
  expect(second?.take(message('one'), 10)).toBe(true)
})

it('a new message waits for earlier ones in the same place, in order, but not for one that hangs', async () => {
  const messages = new ShownMessages(makeWorld().stateDir, Date.now)
  const place = { channel: 'desk', session: 's' }
  const ends = [await messages.beginAlone(place)]
  const begun: string[] = []
  const begin = async (name: string) => {
    ends.push(await messages.beginAlone(place))
    begun.push(name)
  }
  const both = [begin('first'), begin('second')]
  await messages.beginAlone({ ...place, session: 'other' })
  await messages.beginAlone({ ...place, channel: 'phone' })
  expect(begun).toEqual([])
  ends[0]?.()
  await both[0]
  expect(begun).toEqual(['first'])
  // The first one never ends.
  await both[1]
  expect(begun).toEqual(['first', 'second'])
})

it('a change that fails does not block the next message', async () => {
  const messages = new ShownMessages(makeWorld().stateDir, Date.now)
  messages.add(message('one'))
  const fail = () => Promise.reject(new Error('no room'))
  await expect(messages.change(message('one'), Number.POSITIVE_INFINITY, fail)).rejects.toThrow()
  const waiting = messages.beginAlone(message('two')).then(() => 'begun')
  expect(await Promise.race([waiting, sleep(500, 'waits')])).toBe('begun')
})

it('the list is shared by workers, and none overwrites what another one has added', () => {
  const { stateDir } = makeWorld()
  const [first, second] = [
    new ShownMessages(stateDir, Date.now),
    new ShownMessages(stateDir, Date.now),
  ]
  expect([handlesOf(first), handlesOf(second)]).toEqual([[], []])
  first.add(message('one'))
  second.add(message('two'))
  first.add(message('three'))
  expect(handlesOf(first)).toEqual(['one', 'two', 'three'])
})

it('the list keeps the newest messages, and shows a change at once', () => {
  const { stateDir } = makeWorld()
  const shown = Array.from({ length: 100 }, (_, index) => message(`n${index}`))
  writeFileSync(join(stateDir, 'shown.json'), JSON.stringify({ format: 1, shown }))
  const clock = vi.spyOn(process, 'hrtime').mockReturnValue([1, 0])
  onTestFinished(() => clock.mockRestore())
  const messages = new ShownMessages(stateDir, Date.now)
  expect([messages.list().length, handlesOf(messages)[0]]).toEqual([100, 'n0'])
  messages.add(message('last'))
  expect([messages.list().length, handlesOf(messages)[0]]).toEqual([100, 'n1'])
})

it('the list is empty if its file is damaged or cannot be written', () => {
  const { stateDir } = makeWorld()
  const path = join(stateDir, 'shown.json')
  writeFileSync(path, '{')
  expect(handlesOf(new ShownMessages(stateDir, Date.now))).toEqual([])
  const other = makeWorld().stateDir
  mkdirSync(join(other, 'shown.json'))
  const messages = new ShownMessages(other, Date.now)
  messages.add(message('one'))
  expect(handlesOf(messages)).toEqual([])
})

it.skipIf(!hasStrace)(
  'the list is replaced as a whole, without waiting for a slow disk',
  async () => {
    const { stateDir } = makeWorld()
    const program = pathToFileURL(await buildProgram('src/worker/watch/shown-messages.ts')).href
    const words = [program, stateDir, message('one')].map((one) => JSON.stringify(one))
    const code = `import { ShownMessages } from ${words[0]}; new ShownMessages(${words[1]}, Date.now).add(${words[2]})`
    const calls = writingCalls(stateDir, code).map((call) => call.split(' ', 1)[0])
    expect(calls).toEqual([expect.stringMatching(/write/), expect.stringMatching(/^rename/)])
  },
)
