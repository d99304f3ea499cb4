import { BadRequestError } from '../core/http-errors.ts'
import type { Message } from '../schemas/message.ts'
import { isFinal } from './turn.ts'

interface HistoryPage {
  messages: Message[]
  pagination: { nextCursor?: string | null | undefined }
}

/** Gives the pages of a session, from a cursor on. */
type ListPages = (cursor: string | undefined) => AsyncIterable<HistoryPage>

/**
 * Tells which messages of a session are new. All are read once before the message is added, since
 * neither the order of the list nor the clock of the service can be relied on.
 */
export function makeHistory(list: ListPages) {
  const known = new Map<string, Message>()
  /** How much later the end of the list is: below 0 the newest are first, 0 is unknown. */
  let trend = 0
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
    const start = trend > 0 ? lastCursor : undefined
    for await (const messages of walk(start)) {
      yield messages
      if (trend < 0 && messages.some(({ id }) => known.has(id))) return
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
      for await (const messages of walk(undefined)) {
        for (const message of messages) {
          // Images and the output of tools fill the memory, and only the end of a turn is of use.
          known.set(message.id, isFinal(message) ? message : { ...message, content: [] })
          first ??= message.createdAt
          trend = message.createdAt - first
        }
      }
    },

    /** What was there before. */
    earlier: () => [...known.values()],

    /** The messages that were not there before. */
    async readNew(): Promise<Message[]> {
      try {
        return await readNew()
      } catch (error) {
        if (!(error instanceof BadRequestError) || !trend) throw error
        // The cursor may be too old by now, and it only saves time.
        trend = 0
        return readNew()
      }
    },
  }
}
