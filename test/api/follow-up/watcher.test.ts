import { describe, expect, it } from 'vitest'
import type { ApiPromise } from '../../../src/api/core/api-promise.ts'
import { PageList } from '../../../src/api/core/page.ts'
import { BadRequestError } from '../../../src/api/errors.ts'
import { makeWatcher } from '../../../src/api/follow-up/watcher.ts'
import type { ListMessagesResponse, Message } from '../../../src/api/index.ts'
import { operationOf } from '../_support.ts'

type Order = 'oldest first' | 'newest first'
type Watcher = ReturnType<typeof makeWatcher>

const make = (id: number, more: object = {}): Message => ({
  id: `m${id}`,
  role: 'assistant',
  content: [{ type: 'text', text: `text ${id}` }],
  createdAt: id,
  updatedAt: id,
  ...more,
})
const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => make(from + index))

const { page: style } = operationOf('sessions.messages.list')
if (!style) throw new Error('the messages have no pages')

/** Watches a list whose cursors are offsets. `onPage` is called with the number of each page, counted over all polls. */
function watch(
  history: Message[],
  order: Order,
  { after, size = 10 }: { after?: string | null; size?: number } = {},
  onPage: (page: number) => void = () => {},
): Watcher {
  let pages = 0
  const read = async (from = 0): Promise<ListMessagesResponse> => {
    pages += 1
    onPage(pages)
    const listed = order === 'oldest first' ? [...history] : [...history].reverse()
    const hasMore = from + size < listed.length
    const pagination = { hasMore, nextCursor: hasMore ? `${from + size}` : null }
    return { messages: structuredClone(listed.slice(from, from + size)), pagination }
  }
  const list = (first: string | undefined) =>
    new PageList<ListMessagesResponse, Message>({
      entry: operationOf('sessions.messages.list'),
      style: style as NonNullable<typeof style>,
      firstCursor: () => first,
      pause: async () => {},
      fetch(cursor = first) {
        const page = read(cursor === undefined ? 0 : Number(cursor))
        const withResponse = async () => ({ data: await page })
        return Object.assign(page, { withResponse }) as ApiPromise<ListMessagesResponse>
      },
    })
  return makeWatcher(list, after)
}

async function idsOf(watcher: Watcher) {
  return (await watcher.poll()).map(({ id }) => id)
}

describe.each<Order>(['oldest first', 'newest first'])('a watcher of a list, %s', (order) => {
  it('finds new messages whose times are before the time of the message that they follow', async () => {
    const history = [make(100, { role: 'user' })]
    const watcher = watch(history, order, { after: 'm100' })
    expect(await idsOf(watcher)).toEqual([])
    // The clock of the computer that the agent runs on is behind.
    history.push(make(101, { createdAt: 90 }), make(102, { createdAt: 91 }))
    expect(await idsOf(watcher)).toEqual(['m101', 'm102'])
    expect(watcher.turn()).toMatchObject({ isAnswered: true, isDoubtful: false })
  })

  it.each([
    ['not named', {}],
    ['named', { parentId: 'm100' }],
  ])('accepts an earlier time in an answer whose parent is %s', async (_, parent) => {
    const history = [...range(90, 95), make(100, { role: 'user', parentId: 'm94' })]
    const watcher = watch(history, order, { after: 'm100' })
    await watcher.poll()
    history.push(make(101, { createdAt: 96, ...parent }))
    await watcher.poll()
    expect(watcher.turn().answers.map(({ id }) => id)).toEqual(['m101'])
    expect(watcher.turn()).toMatchObject({ isAnswered: true, isDoubtful: false })
  })

  it('keeps messages of the same time in their order', async () => {
    const history = range(0, 5)
    const watcher = watch(history, order)
    await watcher.poll()
    history.push(...[5, 6, 7].map((id) => make(id, { createdAt: 5 })))
    expect(await idsOf(watcher)).toEqual(['m5', 'm6', 'm7'])
  })

  it('finds a message far back in a long history', async () => {
    const watcher = watch(range(0, 300), order, { after: 'm20' })
    expect(await watcher.poll()).toHaveLength(279)
    expect(watcher.hasStarted()).toBe(true)
  })

  it.each([0, 5, 35])(
    'finds a history of %i messages and what follows, from the start',
    async (count) => {
      const history = range(0, count)
      const watcher = watch(history, order, { after: null })
      expect(await idsOf(watcher)).toEqual(history.map(({ id }) => id))
      history.push(make(count), make(count + 1))
      expect(await idsOf(watcher)).toEqual([`m${count}`, `m${count + 1}`])
      expect(watcher.turn()).toMatchObject({ isAnswered: true, isDoubtful: false })
    },
  )

  it('reads a long history only once for a message that is not listed yet', async () => {
    let read = 0
    const history = range(0, 300)
    const watcher = watch(history, order, { after: 'm300' }, () => {
      read += 1
    })
    await watcher.poll()
    expect(read).toBe(30)
    await watcher.poll()
    expect(read).toBeLessThanOrEqual(40)
    history.push(make(300, { role: 'user' }), make(301))
    expect(await idsOf(watcher)).toEqual(['m301'])
  })

  it('finds every message when the list grows while it is read', async () => {
    const history = range(0, 30)
    let isGrowing = false
    const watcher = watch(history, order, {}, (page) => {
      if (isGrowing && page < 20) history.push(...range(history.length, history.length + 3))
    })
    await watcher.poll()
    history.push(...range(30, 65))
    isGrowing = true
    const found = [...(await idsOf(watcher)), ...(await idsOf(watcher))]
    expect(new Set(found).size).toBe(found.length)
    expect(found).toEqual(expect.arrayContaining(range(30, 65).map(({ id }) => id)))
  })

  it('does not report old messages as new when messages are deleted', async () => {
    const history = range(0, 40)
    const watcher = watch(history, order)
    await watcher.poll()
    history.splice(34, 3)
    history.push(make(40))
    expect(await idsOf(watcher)).toEqual(['m40'])
  })

  it('does not report old messages as new when the cursor is rejected', async () => {
    const history = range(0, 45)
    // The first poll reads five pages if the oldest come first.
    const watcher = watch(history, order, {}, (page) => {
      if (page === 6) throw new BadRequestError('the cursor has expired')
    })
    await watcher.poll()
    history.push(make(45))
    expect(await idsOf(watcher)).toEqual(['m45'])
  })

  it('notices the end of a hook that was running at its start', async () => {
    const hook = make(21, { role: 'system', hookStatus: 'executing' })
    const watcher = watch([...range(0, 21), hook], order)
    await watcher.poll()
    expect(watcher.turn().isAnswered).toBe(false)
    Object.assign(hook, { hookStatus: 'completed' })
    expect(await idsOf(watcher)).toEqual(['m21'])
    expect(watcher.turn().isAnswered).toBe(true)
  })

  it('forgets the oldest of very many messages, and finds the new ones', async () => {
    const history = range(0, 10)
    const watcher = watch(history, order, { size: 100 })
    await watcher.poll()
    for (let count = 0; count < 30; count += 1) {
      const batch = range(history.length, history.length + 90)
      history.push(...batch)
      expect(await idsOf(watcher)).toEqual(batch.map(({ id }) => id))
    }
  })
})
