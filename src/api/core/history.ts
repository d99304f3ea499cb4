import type { Message } from '../schemas/message.ts'
import { BadRequestError } from './http-errors.ts'

interface HistoryPage {
  messages: Message[]
  pagination: { nextCursor?: string | null | undefined }
}

/** Gives the pages of a session, from a cursor on. */
type ListPages = (cursor: string | undefined) => AsyncIterable<HistoryPage>

/**
 * Tells which messages of a session are new. All IDs are read once before the message is added, since
 * neither the order of the list nor the clock of the service can be relied on.
 */
export function makeHistory(list: ListPages) {
  const known = new Set<string>()
  let order: 'unknown' | 'oldest-first' | 'newest-first' = 'unknown'
  let lastCursor: string | undefined

  async function* walk(start: string | undefined): AsyncGenerator<Message[]> {
    let cursor = start
    for await (const page of list(start)) {
      lastCursor = cursor
      yield page.messages
      cursor = page.pagination.nextCursor ?? undefined
    }
  }

  /** Only what can have changed: a long history is not read again at every look. */
  async function* recent(): AsyncGenerator<Message[]> {
    const start = order === 'oldest-first' ? lastCursor : undefined
    for await (const messages of walk(start)) {
      yield messages
      if (order === 'newest-first' && messages.some(({ id }) => known.has(id))) return
    }
  }

  async function readNew(): Promise<Message[]> {
    const found = new Map<string, Message>()
    for await (const messages of recent())
      for (const message of messages) if (!known.has(message.id)) found.set(message.id, message)
    return [...found.values()]
  }

  return {
    /** Remembers everything that is there. */
    async remember(): Promise<void> {
      let first: number | undefined
      let last: number | undefined
      for await (const messages of walk(undefined)) {
        for (const { id, createdAt } of messages) {
          known.add(id)
          first ??= createdAt
          last = createdAt
        }
      }
      if (first === undefined || last === undefined || first === last) return
      order = first < last ? 'oldest-first' : 'newest-first'
    },

    /** The messages that were not there before. */
    async readNew(): Promise<Message[]> {
      try {
        return await readNew()
      } catch (error) {
        if (!(error instanceof BadRequestError) || order === 'unknown') throw error
        // The cursor may be too old by now, and it only saves time.
        order = 'unknown'
        return readNew()
      }
    },
  }
}
