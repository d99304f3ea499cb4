import type { Message } from '../types/index.ts'
import { type ListFrom, makeTail } from './tail.ts'
import { byTime, readTurn, type Turn } from './turn.ts'

// What a session that goes on for days may take of the memory.
const MOST_MESSAGES = 2_000
// A message that was just added is not far from the newest.
const MOST_PAGES_TO_FIND = 10

/** Finds out what is new in a session at each look, from a floor on: a message, or else where it starts. */
export function makeWatcher(list: ListFrom, after: string | undefined) {
  const tail = makeTail(list)
  const found = new Map<string, Message>()
  /** Messages as they were last seen. */
  const texts = new Map<string, string>()
  /** The messages before the floor that are near it. */
  let earlier: Message[] = []
  let floor: number | undefined
  return {
    /** The messages that are new or have changed, oldest first. */
    look: () => (floor === undefined ? start() : update(floor)),
    /** What has come since the floor; without one, how the session stands. */
    turn(): Turn {
      if (after !== undefined) return readTurn([...found.values()], after, earlier)
      return { ...readTurn([...earlier, ...found.values()], undefined), isDoubtful: false }
    },
    /** Whether there is a floor. */
    hasStarted: () => floor !== undefined,
  }

  /** Reads as much of the history as the floor takes. Without a message to find, nothing of it is new. */
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
    // Not in the list yet: the next look starts again.
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
        // History that is on the same page.
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

  /** Says whether the message differs from what was known of it. */
  function remember(message: Message): boolean {
    const text = JSON.stringify(message)
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
