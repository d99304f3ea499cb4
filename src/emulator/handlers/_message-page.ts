import { chosen } from '../choices.ts'
import { Problem } from '../reply.ts'

interface Entry {
  id: string
  role: string
}

/** A page of the history, oldest first. The cursor is the ID of the last message of the previous page. */
export function pageOf<Message extends Entry>(
  history: readonly Message[],
  wanted: { limit?: number; cursor?: string; role?: string },
) {
  const { limit = chosen.messagePageSize.value, cursor, role } = wanted
  // The cursor is looked up before roles are filtered: it stays valid if the filter changes.
  const rest = cursor === undefined ? history : history.slice(indexOf(history, cursor) + 1)
  const found = role === undefined ? rest : rest.filter((message) => message.role === role)
  const messages = found.slice(0, limit)
  const hasMore = found.length > limit
  const nextCursor = hasMore ? (messages.at(-1)?.id ?? null) : null
  return { messages, pagination: { hasMore, nextCursor } }
}

function indexOf(history: readonly Entry[], cursor: string) {
  const index = history.findIndex(({ id }) => id === cursor)
  if (index < 0) throw new Problem(chosen.messageCursor.value, `query.cursor: no page "${cursor}"`)
  return index
}
