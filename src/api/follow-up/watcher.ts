import type { PageList } from '../core/page.ts'
import { BadRequestError } from '../errors.ts'
import { isRecord } from '../record.ts'
import type { ListMessagesResponse, Message } from '../types.ts'
import { toJson } from '../validation/encode.ts'
import { byTime, readTurn, type Turn } from './turn.ts'

// Limits the memory that a session of several days may take.
const MOST_MESSAGES = 2_000
// A message that was not listed at the first poll is close to the newest one when it is.
const MOST_PAGES_TO_FIND = 10

/** A message as it was last seen. */
interface Known {
  message: Message
  /** The JSON of the message. */
  text: string
  /** Whether it came after the message `after`, or after the first poll. */
  isNew: boolean
}

/**
 * Finds what is new in a session at each poll: since the message `after`, from the beginning if that is null, or
 * since the first poll if it is undefined.
 */
export function makeWatcher(list: ListFrom, given: string | null | undefined) {
  const isComplete = given === null
  const after = given ?? undefined
  const tail = makeTail(list)
  const known = new Map<string, Known>()
  /** Unknown messages that are older than this are history, not new. Undefined until `start` has succeeded. */
  let floor: number | undefined
  /** How many pages are searched for the message `after`. */
  let mostPages = Infinity
  return {
    /** The messages that are new or have changed, oldest first. */
    poll: () => (floor === undefined ? start() : update(floor)),
    /** The turn since the message `after`; without one, the turn that the session is in. */
    turn(): Turn {
      const isRecent = (one: Known) => one.isNew || after === undefined
      const turn = readTurn(
        messages(isRecent),
        after,
        messages((one) => !isRecent(one)),
      )
      return after === undefined ? { ...turn, isDoubtful: false } : turn
    },
    /** Whether a poll has found the message `after`; without one, whether the first poll has succeeded. */
    hasStarted: () => floor !== undefined,
  }

  /** Reads the history back to the message `after`, or all of it. Without `after`, nothing in it counts as new. */
  async function start(): Promise<Message[]> {
    const near: Message[] = []
    let own: Message | undefined
    let pages = 0
    for await (const messages of tail.pages()) {
      const { isNewestFirst } = tail
      if (!isNewestFirst && !own && !isComplete) near.length = 0
      near.push(...messages)
      own ??= messages.find(({ id }) => id === after)
      pages += 1
      const isEnough = own || after === undefined || pages === mostPages
      if (isNewestFirst && isEnough && !isComplete) break
    }
    mostPages = MOST_PAGES_TO_FIND
    // The message is not in the list yet: the next poll starts again.
    if (after !== undefined && !own) return []
    const sorted = inOrder(near)
    // In a short session nothing older exists. There, the clock of the agent may be behind.
    const isShort = isComplete || (pages < 2 && !tail.hasMore)
    floor = (!isShort && sorted[0]?.createdAt) || 0
    const last = own ? sorted.indexOf(own) : sorted.length
    const at = isComplete ? -1 : last
    return sorted.filter((message, index) => remember(message, index >= at) && index > at)
  }

  async function update(floor: number): Promise<Message[]> {
    const changed: Message[] = []
    const added = new Set<string>()
    for await (const messages of tail.pages()) {
      let isKnown = false
      for (const message of messages) {
        const { id, createdAt } = message
        const isUnknown = !known.has(id)
        // History that happens to be on the same page.
        const isOld = isUnknown && createdAt < floor
        // A page may repeat messages of the page before, if the list has grown meanwhile.
        if (isUnknown) added.add(id)
        isKnown ||= isOld || !added.has(id)
        if (!isOld && remember(message, true)) changed.push(message)
      }
      if (tail.isNewestFirst && isKnown) break
    }
    dropOldest()
    return inOrder(changed).filter(({ id }) => id !== after)
  }

  function messages(isWanted: (one: Known) => boolean): Message[] {
    return [...known.values()].filter(isWanted).map(({ message }) => message)
  }

  /** Sorts oldest first. Messages of the same time stay in the order of the list. */
  function inOrder(messages: Message[]): Message[] {
    return (tail.isNewestFirst ? messages.reverse() : messages).sort(byTime)
  }

  /** Stores the message; true if it is new or has changed. */
  function remember(message: Message, isNew: boolean): boolean {
    // No text if the message is nested too deeply: then it never counts as changed.
    const text = toJson(message, []) ?? ''
    const last = known.get(message.id)
    if (last?.text === text) return false
    known.set(message.id, { message, text, isNew: last?.isNew ?? isNew })
    return true
  }

  function dropOldest() {
    for (const [id, { message }] of known) {
      if (known.size <= MOST_MESSAGES) return
      known.delete(id)
      // If it is listed again, it is history.
      floor = Math.max(floor ?? 0, message.createdAt)
    }
  }
}

/** The list of a session from a cursor on. */
type ListFrom = (cursor: string | undefined) => PageList<ListMessagesResponse, Message>

/**
 * The pages at the end of a session, where new messages appear. The order of the list is not documented: the first
 * page shows it (`isNewestFirst`, undefined until then). Newest first: the first page is the end. Oldest first: the
 * last page is the end, and its cursor is remembered, so that a long history is read only once. `hasMore` tells whether
 * a page follows the one that was read last.
 */
function makeTail(list: ListFrom) {
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
