import type { AcceptedEntry } from '../journal/entry.ts'
import { dropOldest } from './drop-oldest.ts'
import { definePolicy, type JudgedEvent } from './types.ts'

/** Two hooks of one event start together, and the client ends both after the timeout that `init` registers. */
const MAX_APART_MS = 10_000
/** Limits memory: if only one registration exists, no event ever finds its other copy. */
const MAX_KNOWN = 1000
/** The same limit for events with the same content. */
const MAX_ALIKE = 50

/** What two accepted events are compared by, to see that they are copies of one. */
interface Fingerprint {
  id: string
  at: number
  shared: boolean
  hash: string
}

/** The form in which it is saved, oldest first. */
interface Saved {
  /** Events that were sent and whose other copy has not come. */
  open: Fingerprint[]
  /** Pairs of ids: the event, and the one of which it is a copy. */
  found: [string, string][]
}

/** Sent events by fingerprint, and the pairs of copies that were found. */
class Copies {
  readonly #open = new Map<string, Fingerprint[]>()
  readonly #found: Map<string, string>

  constructor({ open, found }: Saved) {
    this.#found = new Map(found)
    for (const one of open) this.#add(one)
  }

  originalOf({ id, at, shared, fingerprint: hash }: JudgedEvent): string | undefined {
    const before = this.#found.get(id)
    if (before !== undefined || !hash) return before
    const self = { id, at, shared, hash }
    return this.#open.get(hash)?.find((one) => isSame(one, self))?.id
  }

  remember(entry: AcceptedEntry, hash: string) {
    const { id, acceptedAt: at, shared = false, duplicateOf, to = [] } = entry
    const others = this.#open.get(hash)?.filter((one) => one.id !== id && one.id !== duplicateOf)
    if (others?.length) this.#open.set(hash, others)
    else this.#open.delete(hash)
    if (duplicateOf) {
      this.#found.set(id, duplicateOf)
      dropOldest(this.#found, MAX_KNOWN)
    }
    // An event that was sent to nobody is no reason to suppress its other copy.
    else if (to.length > 0) this.#add({ id, at, shared, hash })
  }

  toJSON(): Saved {
    return { open: [...this.#open.values()].flat(), found: [...this.#found] }
  }

  #add(one: Fingerprint) {
    const alike = this.#open.get(one.hash) ?? []
    this.#open.delete(one.hash)
    this.#open.set(one.hash, [...alike, one].slice(-MAX_ALIKE))
    dropOldest(this.#open, MAX_KNOWN)
  }
}

/**
 * Suppresses the second copy of an event. A client runs the user's own hooks and those of the project, so with both an
 * event is accepted twice, with the same content. Each registration fires once per event, so two from the same one are
 * two events, however alike they are. In doubt both are sent.
 */
export const duplicates = definePolicy<Copies>({
  name: 'duplicates',
  isNoise: false,
  restore: (saved = { open: [], found: [] }) => new Copies(saved as Saved),
  judge(event, _, copies) {
    const other = copies.originalOf(event)
    if (!other) return { type: 'send' }
    const whose = event.shared ? 'your own hooks' : 'the hooks of the project'
    return { type: 'suppress', reason: `the same event as ${other.slice(0, 8)}, from ${whose}` }
  },
  note(event, copies) {
    const { fingerprint, shared } = event
    const duplicateOf = copies.originalOf(event)
    return {
      ...(fingerprint && { fingerprint }),
      ...(shared && { shared }),
      ...(duplicateOf && { duplicateOf }),
    }
  },
  fold(copies, entry) {
    if (entry.type === 'accepted' && entry.fingerprint) copies.remember(entry, entry.fingerprint)
    return copies
  },
})

function isSame(one: Fingerprint, other: Fingerprint): boolean {
  const isNear = Math.abs(one.at - other.at) <= MAX_APART_MS
  return one.hash === other.hash && one.shared !== other.shared && isNear
}
