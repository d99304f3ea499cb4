import { DecodeError, invalid } from '../errors.ts'
import type { OperationFacts, PageStyle } from '../operation.ts'
import { valueAt } from '../record.ts'
import { now } from '../timers.ts'
import type { ApiPromise, ResponseInfo, WithResponse } from './api-promise.ts'

/** Where a list gets its pages from. */
interface PageSource<Page> {
  /** For errors. */
  entry: Pick<OperationFacts, 'id' | 'method' | 'path'>
  style: PageStyle
  /** The cursor that the caller gave. Read after the first page, whose request has checked the input. */
  firstCursor(): unknown
  fetch(cursor?: string): ApiPromise<Page>
  /** Waits; less long if the call is aborted or the client closed, which the next `fetch` reports. */
  pause(ms: number): Promise<void>
}

/** How fast the pages of a list are requested. */
export interface PageOptions {
  /** The least time from one request to the next, in milliseconds. @default 0 */
  everyMs?: number | undefined
}

/**
 * A list that is fetched page by page, and only as far as it is read. `for await` gives the items,
 * `pages()` the pages, `toArray()` the items in an array, `await` the first page.
 */
export class PageList<Page, Item> implements PromiseLike<Page>, AsyncIterable<Item> {
  readonly #source: PageSource<Page>
  #first: ApiPromise<Page> | undefined

  constructor(source: PageSource<Page>) {
    this.#source = source
  }

  /** The first page. */
  // biome-ignore lint/suspicious/noThenProperty: awaiting the list gives its first page.
  then<A = Page, B = never>(
    resolve?: ((page: Page) => A | PromiseLike<A>) | null,
    reject?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#fetchFirst().then(resolve, reject)
  }

  /** The first page, or what `reject` makes of the error. */
  catch<B = never>(reject?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<Page | B> {
    return this.then(undefined, reject)
  }

  /** The first page, after `settle` was called. */
  finally(settle?: (() => void) | null): Promise<Page> {
    return this.then().finally(settle)
  }

  /** So that a list can be passed where a promise of its first page is expected. */
  get [Symbol.toStringTag](): string {
    return 'PageList'
  }

  /** The first page, with status, headers and request ID. */
  withResponse(): Promise<WithResponse<Page>> {
    return this.#fetchFirst().withResponse()
  }

  /** The response of the first page as it arrives. The list itself is of no use then. */
  asResponse(): Promise<Response> {
    return this.#fetchFirst().asResponse()
  }

  /**
   * The pages, one request each. Nothing is fetched ahead.
   * @throws {DecodeError} after a page that announces more pages without a cursor, or repeats an earlier cursor
   */
  async *pages({ everyMs = 0 }: PageOptions = {}): AsyncGenerator<Page, void, undefined> {
    const source = this.#source
    const seen = new Set<unknown>()
    let cursor: string | undefined
    for (;;) {
      const startedAt = now()
      // The headers are left out: they may echo the key.
      const { data: page, headers: _, ...info } = await source.fetch(cursor).withResponse()
      seen.add(cursor ?? source.firstCursor())
      // Read before the page is yielded, since the caller may modify the page.
      const next = nextCursor(source, page, info, seen)
      yield page
      if (next instanceof DecodeError) throw next
      cursor = next
      if (cursor === undefined) return
      const leftMs = everyMs - (now() - startedAt)
      if (leftMs > 0) await source.pause(leftMs)
    }
  }

  /** The items of all pages, in order. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* this.#itemsOf(page)
  }

  /** The items in arrays of `size`, the last one shorter: for what takes many at once. */
  async *batches({
    size,
    ...options
  }: PageOptions & { size: number }): AsyncGenerator<Item[], void, undefined> {
    if (!(size >= 1)) throw invalid(this.#source.entry.id, 'size', 'must be 1 or more')
    let batch: Item[] = []
    for await (const page of this.pages(options))
      for (const item of this.#itemsOf(page)) {
        if (batch.push(item) < size) continue
        yield batch
        batch = []
      }
    if (batch.length > 0) yield batch
  }

  /** The items in an array: all of them, or the first `limit`. No page is fetched beyond those. */
  async toArray(options: { limit?: number | undefined } = {}): Promise<Item[]> {
    const limit = options?.limit ?? Infinity
    if (!(limit >= 0)) throw invalid(this.#source.entry.id, 'limit', 'must be 0 or more')
    const items: Item[] = []
    if (limit === 0) return items
    for await (const item of this) {
      items.push(item)
      if (items.length >= limit) break
    }
    return items
  }

  #itemsOf(page: Page) {
    return valueAt(page, this.#source.style.items) as Item[]
  }

  #fetchFirst(): ApiPromise<Page> {
    this.#first ??= this.#source.fetch()
    return this.#first
  }
}

/**
 * The cursor of the next page, or undefined at the end. Without a `hasMore` flag, only an empty page is the end.
 * A short page is not: a server may cap the size of pages, or filter them.
 * @throws {DecodeError} if the page has no list
 */
function nextCursor(
  { entry: { method, path: route }, style }: PageSource<unknown>,
  page: unknown,
  info: Omit<ResponseInfo, 'headers'>,
  seen: ReadonlySet<unknown>,
) {
  const { next, hasMore } = style
  const fail = (problem: string) =>
    new DecodeError(`${method} ${route}: ${problem}`, { method, route, ...info })
  const items = valueAt(page, style.items)
  if (!Array.isArray(items)) throw fail(`the response has no list at "${style.items}"`)
  const isMore = hasMore ? valueAt(page, hasMore) : items.length > 0
  const cursor = isMore !== false && valueAt(page, next)
  if (typeof cursor === 'string' && cursor !== '')
    return seen.has(cursor) ? fail('the list repeats a cursor') : cursor
  return isMore === true ? fail(`there is more, but no cursor at "${next}"`) : undefined
}
