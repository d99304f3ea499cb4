import { describe, expect, it } from 'vitest'
import { type CallOptions, type Message, textOf, type WatchInput } from '../../../src/api/index.ts'
import type { Script } from '../../support/fault-server.ts'
import { errorOf, json, useFaultServer } from '../_support.ts'

type Order = 'oldest first' | 'newest first'

const make = (id: number, role = 'assistant', more: object = {}) => ({
  id: `m${id}`,
  role,
  content: [{ type: 'text', text: `text ${id}` }],
  createdAt: id,
  updatedAt: id,
  ...more,
})

/** A session that changes whenever the page with the newest messages is read. */
function serve(history: object[], order: Order, steps: ((list: object[]) => void)[]): Script {
  let looks = 0
  return ({ target }) => {
    const query = new URL(target, 'http://x').searchParams
    const from = Number(query.get('cursor') ?? 0)
    const size = 100
    const isLook = order === 'newest first' ? from === 0 : from + size >= history.length
    const listed = order === 'oldest first' ? history : [...history].reverse()
    const hasMore = from + size < listed.length
    const pagination = { hasMore, nextCursor: hasMore ? `${from + size}` : null }
    const body = json({ messages: listed.slice(from, from + size), pagination })
    if (isLook) steps[looks++]?.(history)
    return { body }
  }
}

const old = (count: number) => Array.from({ length: count }, (_, n) => make(n))

describe.each<Order>(['oldest first', 'newest first'])('watch, %s', (order) => {
  const faults = useFaultServer('https')
  const watch = (input: object, options?: CallOptions) =>
    faults
      .makeClient()
      .sessions.messages.watch({ sessionId: 's', pollMs: 1, maxPollMs: 5, ...input }, options)

  async function take(list: AsyncIterable<Message>, count: number) {
    const found: Message[] = []
    for await (const message of list) {
      found.push(message)
      if (found.length === count) break
    }
    return found
  }

  it('yields new and changed messages from its start', async () => {
    const running = make(502, 'system', { hookStatus: 'executing' })
    const script = serve(old(500), order, [
      (list) => list.push(make(501)),
      (list) => list.push(running),
      () => Object.assign(running, { hookStatus: 'completed', updatedAt: 503 }),
      (list) => list.push(make(504), make(505)),
    ])
    faults.play(script)
    const found = await take(watch({}), 5)
    expect(found.map(({ id }) => id)).toEqual(['m501', 'm502', 'm502', 'm504', 'm505'])
    expect(found[2]?.hookStatus).toBe('completed')
    expect(textOf(found[0] as Message)).toBe('text 501')
  })

  it('does not read the whole history at every poll', async () => {
    faults.play(
      serve(
        old(5_000),
        order,
        [...Array(5)].map((_, n) => (list) => list.push(make(6_000 + n))),
      ),
    )
    await take(watch({}), 5)
    const first = order === 'oldest first' ? 50 : 1
    expect(faults.requests.length).toBeLessThanOrEqual(first + 7)
  })

  it('yields the messages after a given one', async () => {
    faults.play(serve(old(150), order, []))
    const found = await take(watch({ after: 'm140' }), 9)
    expect(found.map(({ id }) => id)).toEqual(
      old(150)
        .slice(141)
        .map(({ id }) => id),
    )
  })

  it('ends when the agent is idle, with endOnIdle', async () => {
    const steps = [
      (list: object[]) => list.push(make(21, 'user')),
      (list: object[]) => list.push(make(22)),
    ]
    faults.play(serve(old(20), order, steps))
    const found: string[] = []
    for await (const { id } of watch({ endOnIdle: true, quietMs: 1_000 })) found.push(id)
    expect(found).toEqual(['m21', 'm22'])
  })

  it('ends when quietMs is over, not at a later poll', async () => {
    faults.play(serve([...old(20), make(20, 'user'), make(21)], order, []))
    const input = { after: 'm20', endOnIdle: true, quietMs: 50, pollMs: 600_000 }
    const found = await take(watch(input), 2)
    expect(found.map(({ id }) => id)).toEqual(['m21'])
    expect(faults.requests.length).toBeLessThan(10)
  })

  it.each(['input', 'options'])('rejects when aborted by the signal of its %s', async (place) => {
    faults.play(serve(old(20), order, []))
    const controller = new AbortController()
    const { signal } = controller
    const call = take(place === 'input' ? watch({ signal }) : watch({}, { signal }), 1)
    setTimeout(() => controller.abort('enough'), 50)
    expect(await errorOf(call)).toMatchObject({ kind: 'aborted', cause: 'enough' })
  })

  it.each([undefined, null])('rejects the input %s', async (input) => {
    const watching = faults.makeClient().sessions.messages.watch(input as unknown as WatchInput)
    expect(await errorOf(watching.next())).toMatchObject({ kind: 'validation' })
  })

  it('continues after temporary failures', async () => {
    const good = serve(old(20), order, [(list) => list.push(make(21))])
    faults.play((request, index) =>
      index === 0 || index > 4 || typeof good !== 'function'
        ? (good as (seen: typeof request, at: number) => object)(request, index)
        : { status: 500 },
    )
    expect((await take(watch({}), 1)).map(({ id }) => id)).toEqual(['m21'])
  })

  it('rejects at once on a permanent error', async () => {
    faults.play([{ status: 403 }])
    expect(await errorOf(take(watch({}), 1))).toMatchObject({ kind: 'http', status: 403 })
    expect(faults.requests).toHaveLength(1)
  })

  it.each([{ signal: {} }, { signal: 'x' }])(
    'rejects %j, which cannot be aborted',
    async (input) => {
      faults.play([])
      const issues = [{ field: 'signal', problem: 'must be an AbortSignal' }]
      expect(await errorOf(take(watch(input), 1))).toMatchObject({ kind: 'validation', issues })
      const asOption = take(watch({}, input as CallOptions), 1)
      expect(await errorOf(asOption)).toMatchObject({ kind: 'validation', issues })
      expect(faults.requests).toEqual([])
    },
  )

  it('rejects at once when its client is closed', async () => {
    faults.play(serve(old(20), order, []))
    const failures: string[] = []
    const client = faults.makeClient({
      onAttempt({ failure }) {
        if (failure) failures.push(failure)
        else void client.close()
      },
    })
    const list = client.sessions.messages.watch({ sessionId: 's', pollMs: 1, maxPollMs: 5 })
    expect(await errorOf(take(list, 1))).toMatchObject({ kind: 'network', code: 'ERR_CLOSED' })
    expect(failures).toEqual(['network'])
  })

  it('polls less often while nothing changes', async () => {
    faults.play(serve(old(20), order, []))
    const controller = new AbortController()
    const call = take(watch({ pollMs: 10, maxPollMs: 1_000, signal: controller.signal }), 1)
    setTimeout(() => controller.abort(), 1_000)
    await errorOf(call)
    expect(faults.requests.length).toBeLessThan(15)
  })
})

describe('textOf', () => {
  it.each([
    [[{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }], 'a\n\nb'],
    [[], ''],
    [undefined, ''],
    [[null, { type: 'tool_use' }], ''],
  ])('of %j is %j', (content, text) => {
    expect(textOf({ content } as unknown as Message)).toBe(text)
  })
})
