import type { Message } from '../types/index.ts'
import { type ListFrom, Tail } from './tail.ts'
import { byTime, readTurn, type Turn } from './turn.ts'

// What a session that goes on for days may take of the memory.
const MOST_MESSAGES = 2_000
// A message that was just added is not far from the newest.
const MOST_PAGES_TO_FIND = 10

/** Finds out what is new in a session at each look, from a floor on: a message, or else where it starts. */
export class Watcher {
  readonly #after: string | undefined
  readonly #tail: Tail
  /** The messages before the floor that are near it. */
  #earlier: Message[] = []
  readonly #found = new Map<string, Message>()
  /** Messages as they were last seen. */
  readonly #texts = new Map<string, string>()
  #floor: number | undefined

  constructor(list: ListFrom, after: string | undefined) {
    this.#tail = new Tail(list)
    this.#after = after
  }

  /** The messages that are new or have changed, oldest first. */
  look(): Promise<Message[]> {
    return this.#floor === undefined ? this.#start() : this.#update(this.#floor)
  }

  /** What has come since the floor; without one, how the session stands. */
  get turn(): Turn {
    const found = [...this.#found.values()]
    if (this.#after !== undefined) return readTurn(found, this.#after, this.#earlier)
    return { ...readTurn([...this.#earlier, ...found], undefined), isDoubtful: false }
  }

  /** Whether there is a floor. */
  get hasStarted(): boolean {
    return this.#floor !== undefined
  }

  /** Reads as much of the history as the floor takes. Without a message to find, nothing of it is new. */
  async #start(): Promise<Message[]> {
    const after = this.#after
    let near: Message[] = []
    let own: Message | undefined
    let pages = 0
    for await (const messages of this.#tail.pages()) {
      const { isNewestFirst } = this.#tail
      near = isNewestFirst || own ? [...near, ...messages] : [...messages]
      own ??= messages.find(({ id }) => id === after)
      pages += 1
      if (isNewestFirst && (own || after === undefined || pages === MOST_PAGES_TO_FIND)) break
    }
    // Not in the list yet: the next look starts again.
    if (after !== undefined && !own) return []
    this.#floor = own?.createdAt ?? Number.NEGATIVE_INFINITY
    for (const message of near.sort(byTime)) this.#remember(message)
    const isNew = (message: Message) => own !== undefined && !(message.createdAt < own.createdAt)
    this.#earlier = near.filter((message) => !isNew(message))
    for (const message of near.filter(isNew)) this.#found.set(message.id, message)
    return near.filter((message) => isNew(message) && message.id !== after)
  }

  async #update(floor: number): Promise<Message[]> {
    const changed: Message[] = []
    for await (const messages of this.#tail.pages()) {
      let isKnown = false
      for (const message of messages) {
        const known = this.#texts.get(message.id)
        // History that is on the same page.
        const isOld = known === undefined && message.createdAt < floor
        isKnown ||= isOld || known !== undefined
        if (!isOld && this.#remember(message)) changed.push(message)
      }
      if (this.#tail.isNewestFirst && isKnown) break
    }
    for (const message of changed.sort(byTime)) this.#found.set(message.id, message)
    dropOldest(this.#found)
    dropOldest(this.#texts)
    return changed.filter(({ id }) => id !== this.#after)
  }

  /** Says whether the message differs from what was known of it. */
  #remember(message: Message): boolean {
    const text = JSON.stringify(message)
    if (this.#texts.get(message.id) === text) return false
    this.#texts.set(message.id, text)
    return true
  }
}

function dropOldest(entries: Map<string, unknown>) {
  for (const key of entries.keys()) {
    if (entries.size <= MOST_MESSAGES) return
    entries.delete(key)
  }
}
