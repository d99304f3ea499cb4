import type { PageList } from '../core/page.ts'
import { BadRequestError } from '../http-errors.ts'
import type { ListMessagesResponse, Message } from '../types/index.ts'

/** The list of a session from a cursor on. */
export type ListFrom = (cursor: string | undefined) => PageList<ListMessagesResponse, Message>

/**
 * The pages at the end of a session, where new messages come. The order of the list is not documented: the first
 * page shows it. Newest first, the end is the first page. Oldest first, it is the last one, whose cursor is
 * remembered: a long history is walked through once.
 */
export class Tail {
  /** Undefined as long as nothing shows it. */
  isNewestFirst: boolean | undefined
  readonly #list: ListFrom
  #lastCursor: string | undefined

  constructor(list: ListFrom) {
    this.#list = list
  }

  async *pages(): AsyncGenerator<readonly Message[]> {
    try {
      yield* this.#walk()
    } catch (error) {
      if (!(error instanceof BadRequestError) || this.#lastCursor === undefined) throw error
      // The cursor may be too old by now, and it only saves time.
      this.#lastCursor = undefined
      yield* this.#walk()
    }
  }

  async *#walk(): AsyncGenerator<readonly Message[]> {
    let cursor = this.#lastCursor
    for await (const { messages, pagination } of this.#list(cursor).pages()) {
      this.isNewestFirst ??= trendOf(messages)
      if (!this.isNewestFirst) this.#lastCursor = cursor
      yield messages
      cursor = pagination.nextCursor ?? undefined
    }
  }
}

/** Whether the newest come first; undefined if a page does not show it. */
function trendOf(messages: readonly Message[]): boolean | undefined {
  const [first, last] = [messages[0]?.createdAt, messages.at(-1)?.createdAt]
  if (first === undefined || last === undefined || first === last) return undefined
  return first > last
}
