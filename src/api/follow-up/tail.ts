import type { PageList } from '../core/page.ts'
import { BadRequestError } from '../http-errors.ts'
import { isRecord } from '../record.ts'
import type { ListMessagesResponse, Message } from '../types/index.ts'

/** The list of a session from a cursor on. */
export type ListFrom = (cursor: string | undefined) => PageList<ListMessagesResponse, Message>

/**
 * The pages at the end of a session, where new messages appear. The order of the list is not documented: the first
 * page shows it (`isNewestFirst`, undefined until then). Newest first: the first page is the end. Oldest first: the
 * last page is the end, and its cursor is remembered, so that a long history is read only once. `hasMore` tells whether
 * a page follows the one that was read last.
 */
export function makeTail(list: ListFrom) {
  let lastCursor: string | undefined
  const tail = { isNewestFirst: undefined as boolean | undefined, hasMore: false, pages }
  return tail

  async function* pages(): AsyncGenerator<readonly Message[]> {
    try {
      yield* walk()
    } catch (error) {
      if (!(error instanceof BadRequestError) || lastCursor === undefined) throw error
      // The cursor may have expired. It only saves time, so start again without it.
      lastCursor = undefined
      yield* walk()
    }
  }

  async function* walk(): AsyncGenerator<readonly Message[]> {
    let cursor = lastCursor
    for await (const { messages: listed, pagination } of list(cursor).pages()) {
      // Responses are passed on even if they differ from the known shape.
      const messages = listed.filter(isRecord)
      tail.isNewestFirst ??= trendOf(messages)
      if (!tail.isNewestFirst) lastCursor = cursor
      cursor = pagination?.nextCursor ?? undefined
      tail.hasMore = cursor !== undefined
      yield messages
    }
  }
}

/** Whether the newest come first; undefined if a page does not show it. */
function trendOf(messages: readonly Message[]): boolean | undefined {
  const [first, last] = [messages[0]?.createdAt, messages.at(-1)?.createdAt]
  if (first === undefined || last === undefined || first === last) return undefined
  return first > last
}
