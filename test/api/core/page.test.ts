import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { isClientError, type Message, type PageList } from '../../../src/api/index.ts'
import type { Script, Seen } from '../../support/fault-server.ts'
import { runs } from '../../support/runs.ts'
import { apiKey, errorOf, json, transports, useFaultServer } from '../_support.ts'

const day = { startDate: '2026-02-01', endDate: '2026-02-02' }
const meta = { org_id: 'o', start_date: '2026-02-01', end_date: '2026-02-02' }

/** A list of numbered items, split into pages in the style of one endpoint. */
interface Style {
  name: string
  list(
    client: ReturnType<ReturnType<typeof useFaultServer>['makeClient']>,
  ): PageList<object, object>
  /** The response for a page with these items and the cursor of the next page. */
  page(items: readonly number[], next: string | undefined): unknown
  number(item: object): number
  cursor: string
  /** Whether a page without items ends the list. */
  emptyIsEnd: boolean
}

const styles: Style[] = [
  {
    name: 'nextCursor',
    list: (client) => client.sessions.messages.list({ sessionId: 's' }),
    page: (items, next) => ({
      messages: items.map((n) => ({
        id: `${n}`,
        role: 'user',
        content: [],
        createdAt: n,
        updatedAt: n,
      })),
      pagination: { hasMore: next !== undefined, nextCursor: next ?? null },
    }),
    number: (item) => Number(Reflect.get(item, 'id')),
    cursor: 'cursor',
    emptyIsEnd: false,
  },
  {
    name: 'next_cursor',
    list: (client) => client.analytics.users(day),
    page: (items, next) => ({
      data: items.map((n) => ({ user_id: `${n}` })),
      meta: { ...meta, has_more: next !== undefined, next_cursor: next },
    }),
    number: (item) => Number(Reflect.get(item, 'user_id')),
    cursor: 'cursor',
    emptyIsEnd: false,
  },
  {
    name: 'last reportId',
    list: (client) => client.readiness.reports(),
    page: (items) => ({ reports: items.map((n) => ({ reportId: `${n}` })) }),
    number: (item) => Number(Reflect.get(item, 'reportId')),
    cursor: 'startAfter',
    emptyIsEnd: true,
  },
]

/** Serves the page for the cursor in the request. */
function serve(style: Style, pages: readonly (readonly number[])[]): Script {
  const all = style.emptyIsEnd ? [...pages.filter((page) => page.length > 0), []] : pages
  const cursorAfter = (index: number) =>
    style.emptyIsEnd ? `${all[index]?.at(-1)}` : `after ${index}`
  return ({ target }: Seen) => {
    const cursor = new URL(target, 'http://x').searchParams.get(style.cursor)
    const index = cursor === null ? 0 : all.findIndex((_, i) => cursorAfter(i) === cursor) + 1
    const next = index < all.length - 1 ? cursorAfter(index) : undefined
    return { body: json(style.page(all[index] ?? [], next)) }
  }
}

const split = fc
  .array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 6 })
  .map((sizes) => {
    let next = 0
    return sizes.map((size) => Array.from({ length: size }, () => next++))
  })

describe.each(transports)('lists through %s', (transport) => {
  const faults = useFaultServer(transport)

  describe.each(styles)('with $name', (style) => {
    it('return each item once, in order, with the minimum of requests', async () => {
      const client = faults.makeClient()
      await fc.assert(
        fc.asyncProperty(split, async (pages) => {
          faults.play(serve(style, pages))
          const found: number[] = []
          for await (const item of style.list(client)) found.push(style.number(item))
          expect(found).toEqual(pages.flat())
          const needed = style.emptyIsEnd
            ? pages.filter((p) => p.length > 0).length + 1
            : pages.length
          expect(faults.requests).toHaveLength(needed)
        }),
        { numRuns: runs(20) },
      )
    })

    it('fetch no page beyond the requested items', async () => {
      const client = faults.makeClient()
      const taken = fc.integer({ min: 1, max: 24 })
      await fc.assert(
        fc.asyncProperty(split, taken, fc.boolean(), async (pages, count, asArray) => {
          faults.play(serve(style, pages))
          const found: number[] = []
          const list = style.list(client)
          expect(faults.requests).toHaveLength(0)
          if (asArray) found.push(...(await list.toArray({ limit: count })).map(style.number))
          else
            for await (const item of list) {
              found.push(style.number(item))
              if (found.length === count) break
            }
          expect(found).toEqual(pages.flat().slice(0, count))
          if (pages.flat().length < count) return
          const filled = style.emptyIsEnd ? pages.filter((p) => p.length > 0) : pages
          const ends = filled.map((_, i) => filled.slice(0, i + 1).flat().length)
          expect(faults.requests).toHaveLength(ends.findIndex((end) => end >= count) + 1)
        }),
        { numRuns: runs(20) },
      )
    })

    it('give the items in batches of a size', async () => {
      const client = faults.makeClient()
      const sizes = fc.integer({ min: 1, max: 5 })
      await fc.assert(
        fc.asyncProperty(split, sizes, async (pages, size) => {
          faults.play(serve(style, pages))
          const found: number[][] = []
          for await (const batch of style.list(client).batches({ size }))
            found.push(batch.map(style.number))
          expect(found.flat()).toEqual(pages.flat())
          for (const batch of found.slice(0, -1)) expect(batch).toHaveLength(size)
          expect(found.at(-1)?.length).not.toBe(0)
        }),
        { numRuns: runs(20) },
      )
    })

    it('resolve to the first page, and iterate over pages with pages()', async () => {
      const pages = [[0, 1], [2], [3]]
      faults.play(serve(style, pages))
      const list = style.list(faults.makeClient())
      const first = await list
      expect(json(first)).toContain('"1"')
      expect(json(first)).not.toContain('"2"')
      expect(await list).toBe(first)
      expect(faults.requests).toHaveLength(1)
      let count = 0
      for await (const _ of list.pages()) count += 1
      expect(count).toBe(style.emptyIsEnd ? 4 : 3)
    })

    it.skipIf(style.emptyIsEnd)('end at the last page, even if it has a cursor', async () => {
      const page = json(style.page([0], 'a')).replace('true', 'false')
      faults.play([{ body: page }])
      expect(await style.list(faults.makeClient()).toArray()).toHaveLength(1)
      expect(faults.requests).toHaveLength(1)
    })

    it('reject when the service repeats a cursor', async () => {
      faults.play(({ target }, index) => {
        const isFirst = !target.includes('=a') && !target.includes('=b')
        const next = isFirst || target.endsWith('=b') ? 'a' : 'b'
        const body = style.page([index], next)
        return { body: json(body).replace(/"reportId":"\d+"/, `"reportId":"${next}"`) }
      })
      const error = await errorOf(style.list(faults.makeClient()).toArray())
      expect(error).toMatchObject({ kind: 'decode', message: expect.stringContaining('repeats') })
      expect(faults.requests.length).toBeLessThanOrEqual(3)
    })

    it('reject with the error of the page that failed, after the items before it', async () => {
      const good = serve(style, [[0], [1]])
      faults.play((request, index) =>
        index === 0 && typeof good === 'function' ? good(request, 0) : { status: 403 },
      )
      const found: number[] = []
      const read = async () => {
        for await (const item of style.list(faults.makeClient())) found.push(style.number(item))
      }
      expect(await errorOf(read())).toMatchObject({ kind: 'http', status: 403 })
      expect(found).toEqual([0])
    })
  })
})

describe('a page list', () => {
  const faults = useFaultServer('https')

  it('starts at the given cursor and keeps the other inputs', async () => {
    faults.play(serve(styles[0] as Style, [[0], [1], [2]]))
    const input = { sessionId: 's', cursor: 'after 0', limit: 7, role: 'user' } as const
    const items = await faults.makeClient().sessions.messages.list(input).toArray()
    expect(items.map(({ id }) => id)).toEqual(['1', '2'])
    expect(faults.requests.map(({ target }) => target.split('?')[1])).toEqual([
      'cursor=after%200&limit=7&role=user',
      'cursor=after%201&limit=7&role=user',
    ])
  })

  it.each([
    ['limits the size of pages', 10, () => true],
    ['filters items out of a page', 20, (n: number) => n % 3 > 0],
  ])('of reports continues to the end when the service %s', async (_, size, isShown) => {
    const all = Array.from({ length: 120 }, (_, n) => ({ reportId: `r${n}`, n }))
    faults.play(({ target }) => {
      const after = new URL(target, 'http://x').searchParams.get('startAfter')
      const from = all.findIndex(({ reportId }) => reportId === after) + 1
      const reports = all
        .slice(from, from + size)
        .filter(({ n }, at, page) => isShown(n) || at === page.length - 1)
      return { body: json({ reports }) }
    })
    const items = await faults.makeClient().readiness.reports({ limit: 50 }).toArray()
    expect(items.at(-1)).toMatchObject({ reportId: 'r119' })
    expect(items.length).toBeGreaterThanOrEqual(80)
  })

  describe.each(['abort', 'close'] as const)('waits between pages until the %s', (end) => {
    it.each(['pages', 'batches'] as const)('of %s', async (method) => {
      faults.play(serve(styles[0] as Style, [[0], [1]]))
      const client = faults.makeClient()
      const controller = new AbortController()
      const { signal } = controller
      const list = client.sessions.messages.list({ sessionId: 's' }, { signal })
      const parts = list[method]({ size: 1, everyMs: 3_600_000 })
      await parts.next()
      const second = errorOf(parts.next())
      await faults.settle()
      expect(faults.requests).toHaveLength(1)
      if (end === 'abort') controller.abort()
      else await client.close()
      expect(await second).toMatchObject({ kind: end === 'abort' ? 'aborted' : 'network' })
      expect(faults.requests).toHaveLength(1)
    })
  })

  it('waits no longer than it has to between pages', async () => {
    faults.play(serve(styles[0] as Style, [[0], [1], [2]]))
    const list = faults.makeClient().sessions.messages.list({ sessionId: 's' })
    const found: number[] = []
    for await (const batch of list.batches({ size: 2, everyMs: 1 })) found.push(batch.length)
    expect(found).toEqual([2, 1])
  })

  it('refuses batches without a size', async () => {
    const batches = faults.makeClient().readiness.reports().batches({ size: 0 })
    expect(await errorOf(batches.next())).toMatchObject({
      kind: 'validation',
      issues: [{ field: 'size' }],
    })
  })

  it('reads the cursor before the caller can change the page', async () => {
    faults.play(serve(styles[2] as Style, [[0], [1]]))
    let count = 0
    for await (const page of faults.makeClient().readiness.reports().pages()) {
      count += page.reports.length
      page.reports.length = 0
    }
    expect(count).toBe(2)
  })

  it('rejects a response without a list and an invalid limit', async () => {
    faults.play([{ body: '{"messages": 5}' }])
    const list = faults.makeClient().sessions.messages.list({ sessionId: 's' })
    expect(await errorOf(list.toArray())).toMatchObject({ kind: 'decode' })
    expect(await errorOf(list.toArray({ limit: -1 }))).toMatchObject({ kind: 'validation' })
    expect(await list.toArray({ limit: 0 })).toEqual([])
  })

  it.each([
    ['a response without a list', '{"messages": 5}'],
    ['more pages without a cursor', '{"messages": [], "pagination": {"hasMore": true}}'],
  ])('names the request, but not the key, in the error for %s', async (_, body) => {
    faults.play([{ body, headers: { 'x-request-id': `req-${apiKey}` } }])
    const error = await errorOf(
      faults.makeClient().sessions.messages.list({ sessionId: 's' }).toArray(),
    )
    expect(error.message).toMatch(/^GET \/api\/v0\/sessions\/{sessionId}\/messages: /)
    expect(error).toMatchObject({
      kind: 'decode',
      method: 'GET',
      route: '/api/v0/sessions/{sessionId}/messages',
      status: 200,
      attempts: 1,
      requestId: 'req-[secret]',
    })
  })

  it('has catch and finally like a promise', async () => {
    faults.play([{ status: 403 }])
    const list = faults.makeClient().readiness.reports()
    const settled: string[] = []
    expect(await list.catch(isClientError)).toBe(true)
    await list.finally(() => settled.push('yes')).catch(() => undefined)
    expect(settled).toEqual(['yes'])
  })

  it('has typed items and pages', () => {
    const client = faults.makeClient()
    const list = () => client.sessions.messages.list({ sessionId: 's' })
    expectTypeOf<Awaited<ReturnType<typeof list>>>().toHaveProperty('pagination')
    expectTypeOf<ReturnType<typeof list>>().toExtend<AsyncIterable<Message>>()
    // @ts-expect-error: a session is required
    void (() => client.sessions.messages.list())
    // @ts-expect-error: there is no such role
    void (() => client.sessions.messages.list({ sessionId: 's', role: 'nobody' }))
    type Deleted = Awaited<ReturnType<typeof client.computers.delete>>
    expectTypeOf<Deleted['replayed']>().toEqualTypeOf<true | undefined>()
  })
})
