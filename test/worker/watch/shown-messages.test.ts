import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { Store } from '../../../src/spool/store.ts'
import { ShownMessages } from '../../../src/worker/watch/shown-messages.ts'
import { makeWorld } from '../_world.ts'

function message(handle: string, channel = 'desk') {
  const about = { session: 's', event: `e-${handle}`, client: 'claude', sessionId: 's1' }
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

function openStore(stateDir = makeWorld().stateDir): Store {
  const store = new Store({ stateDir })
  onTestFinished(() => store.close())
  return store
}

const handlesOf = (messages: ShownMessages) => messages.list().map(({ handle }) => handle)

it('a message is in the list once, on each of its channels, until it is removed', async () => {
  const messages = new ShownMessages(openStore())
  for (const handle of ['one', 'two', 'one']) await messages.add(message(handle))
  expect(handlesOf(messages).sort()).toEqual(['one', 'two'])
  await messages.add(message('two', 'phone'))
  await messages.remove(message('two'))
  expect(messages.take(message('two'))).toBeUndefined()
  expect(messages.list()).toMatchObject([message('one'), message('two', 'phone')])
})

it('a message is taken once, and by its present handle', async () => {
  const { stateDir } = makeWorld()
  const [first, second] = [1, 2].map(() => new ShownMessages(openStore(stateDir)))
  await first?.add(message('one'))
  const later = new ShownMessages(openStore(stateDir))
  expect(later.take({ ...message('one'), handle: 'before' })).toBeUndefined()
  const claim = first?.take(message('one'))
  expect(claim).toBeDefined()
  expect([later, second, first].map((one) => one?.take(message('one')))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  if (claim) await first?.end(claim, false)
  expect(first?.take(message('one'))).toBeDefined()
})

it('a place is filled while its message is being changed', async () => {
  const messages = new ShownMessages(openStore())
  const place = { channel: 'desk', session: 's' }
  expect(messages.isFilled(place)).toBe(false)
  await messages.add(message('one'))
  const kept = await messages.change(message('one'), async () => {
    expect([messages.list(), messages.isFilled(place)]).toEqual([[], true])
    return { ...message('one'), handle: 'other' }
  })
  expect([kept, handlesOf(messages)]).toEqual([true, ['other']])
})

it('a change that cannot be kept counts as none, and leaves the message as it was', async () => {
  const store = openStore()
  await new ShownMessages(store).add(message('one'))
  const full = Object.assign(Object.create(store), {
    keepShown: () => Promise.reject(new Error('no room')),
    shown: () => store.shown(),
    claimShown: (shown: ReturnType<typeof message>) => store.claimShown(shown),
    finishDelivery: (claim: never) => store.finishDelivery(claim),
    releaseDelivery: (claim: never) => store.releaseDelivery(claim),
  })
  const messages = new ShownMessages(full)
  const work = async () => ({ ...message('one'), handle: 'other' })
  expect(await messages.change(message('one'), work)).toBe(false)
  expect(handlesOf(messages)).toEqual(['one'])
})

it('a new message waits for earlier ones in the same place, in order, but not for one that hangs', async () => {
  const messages = new ShownMessages(openStore())
  const place = { channel: 'desk', session: 's' }
  const ends = [await messages.takeTurn(place)]
  const begun: string[] = []
  const begin = async (name: string) => {
    ends.push(await messages.takeTurn(place))
    begun.push(name)
  }
  const both = [begin('first'), begin('second')]
  await messages.takeTurn({ ...place, session: 'other' })
  await messages.takeTurn({ ...place, channel: 'phone' })
  expect(begun).toEqual([])
  ends[0]?.()
  await both[0]
  expect(begun).toEqual(['first'])
  // The first one never ends.
  await both[1]
  expect(begun).toEqual(['first', 'second'])
})

it('a change that fails does not block the next message', async () => {
  const messages = new ShownMessages(openStore())
  await messages.add(message('one'))
  const fail = () => Promise.reject(new Error('no room'))
  await expect(messages.change(message('one'), fail)).rejects.toThrow()
  const waiting = messages.takeTurn(message('two')).then(() => 'begun')
  expect(await Promise.race([waiting, sleep(500, 'waits')])).toBe('begun')
})

it('the list keeps the newest messages', async () => {
  const store = openStore()
  const messages = new ShownMessages(store)
  for (let index = 0; index < 101; index += 1) await messages.add(message(`n${index}`))
  expect([messages.list().length, handlesOf(messages)[0]]).toEqual([100, 'n1'])
})
