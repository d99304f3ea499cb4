import type { Message } from '../types/index.ts'
import { toJson } from '../validation/encode-value.ts'
import { type ListFrom, makeTail } from './tail.ts'
import { byTime, readTurn, type Turn } from './turn.ts'

// Limits the memory that a session of several days may take.
const MOST_MESSAGES = 2_000
// A message that was just added is close to the newest one.
const MOST_PAGES_TO_FIND = 10

/** Finds what is new in a session at each poll: since the message `after`, or else since the first poll. */
export function makeWatcher(list: ListFrom, after: string | undefined) {
  const tail = makeTail(list)
  const found = new Map<string, Message>()
  /** The JSON of each message as it was last seen, by message ID. */
  const texts = new Map<string, string>()
  /** The messages shortly before `after`, or before the first poll. */
  let earlier: Message[] = []
  /** Unknown messages that are older than this are history, not new. Undefined until `start` has succeeded. */
  let floor: number | undefined
  return {
    /** The messages that are new or have changed, oldest first. */
    poll: () => (floor === undefined ? start() : update(floor)),
    /** The turn since the message `after`; without one, the turn that the session is in. */
    turn(): Turn {
      if (after !== undefined) return readTurn([...found.values()], after, earlier)
      return { ...readTurn([...earlier, ...found.values()]), isDoubtful: false }
    },
    /** Whether a poll has found the message `after`; without one, whether the first poll has succeeded. */
    hasStarted: () => floor !== undefined,
  }

  /** Reads the history back to the message `after`. Without `after`, nothing in the history counts as new. */
  async function start(): Promise<Message[]> {
    let near: Message[] = []
    let own: Message | undefined
    let pages = 0
    for await (const messages of tail.pages()) {
      const { isNewestFirst } = tail
      near = isNewestFirst || own ? [...near, ...messages] : [...messages]
      own ??= messages.find(({ id }) => id === after)
      pages += 1
      if (isNewestFirst && (own || after === undefined || pages === MOST_PAGES_TO_FIND)) break
    }
    // The message is not in the list yet: the next poll starts again.
    if (after !== undefined && !own) return []
    floor = own?.createdAt ?? 0
    for (const message of near.sort(byTime)) remember(message)
    const isNew = (message: Message) => own !== undefined && !(message.createdAt < own.createdAt)
    earlier = near.filter((message) => !isNew(message))
    const fresh = near.filter(isNew)
    for (const message of fresh) found.set(message.id, message)
    return fresh.filter(({ id }) => id !== after)
  }

  async function update(floor: number): Promise<Message[]> {
    const changed: Message[] = []
    for await (const messages of tail.pages()) {
      let isKnown = false
      for (const message of messages) {
        const known = texts.get(message.id)
        // History that happens to be on the same page.
        const isOld = known === undefined && message.createdAt < floor
        isKnown ||= isOld || known !== undefined
        if (!isOld && remember(message)) changed.push(message)
      }
      if (tail.isNewestFirst && isKnown) break
    }
    for (const message of changed.sort(byTime)) found.set(message.id, message)
    dropOldest(found)
    dropOldest(texts)
    return changed.filter(({ id }) => id !== after)
  }

  /** Stores the message; true if it is new or has changed. */
  function remember(message: Message): boolean {
    // No text if the message is nested too deeply: then it never counts as changed.
    const text = toJson(message, []) ?? ''
    if (texts.get(message.id) === text) return false
    texts.set(message.id, text)
    return true
  }
}

function dropOldest(entries: Map<string, unknown>) {
  for (const key of entries.keys()) {
    if (entries.size <= MOST_MESSAGES) return
    entries.delete(key)
  }
}
