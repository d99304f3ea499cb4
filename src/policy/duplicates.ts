import type { AcceptedEntry } from '../journal/entry.ts'
import { dropOldest } from './drop-oldest.ts'
import { definePolicy, type JudgedEvent } from './types.ts'

/** Two hooks of one event start together, and a client ends them after the timeout that `init` registers. */
const MAX_APART_MS = 10_000
/** Where there is one registration only, no event ever finds its other half. */
const MAX_KNOWN = 1000
/** Of events that are word for word the same. */
const MAX_ALIKE = 50

/** What shows that two accepted events are one. */
interface Fingerprint {
  id: string
  at: number
  shared: boolean
  hash: string
}

/** As it is kept, oldest first. */
interface Saved {
  /** Events that were told and have found no other half. */
  open: Fingerprint[]
  /** Pairs of ids: the event, and the one it repeats. */
  found: [string, string][]
}

/** Told events by what they have in common with their other half, and the pairs that were found. */
class Halves {
  readonly #open = new Map<string, Fingerprint[]>()
  readonly #found: Map<string, string>

  constructor({ open, found }: Saved) {
    this.#found = new Map(found)
    for (const one of open) this.#add(one)
  }

  otherOf({ id, at, shared, fingerprint: hash }: JudgedEvent): string | undefined {
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
    // What nobody was told of is no reason to suppress its other half.
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
 * A client runs the user's own hooks and those of the project, so with both an event is accepted twice, word for word
 * the same. Each registration fires once per event: two from the same one are two events, however alike they are.
 * What is not known is told.
 */
export const duplicates = definePolicy<Halves>({
  name: 'duplicates',
  isNoise: false,
  restore: (saved = { open: [], found: [] }) => new Halves(saved as Saved),
  judge(event, _, halves) {
    const other = halves.otherOf(event)
    if (!other) return { type: 'send' }
    const whose = event.shared ? 'your own hooks' : 'the hooks of the project'
    return { type: 'suppress', reason: `the same event as ${other.slice(0, 8)}, from ${whose}` }
  },
  note(event, halves) {
    const { fingerprint, shared } = event
    const duplicateOf = halves.otherOf(event)
    return {
      ...(fingerprint && { fingerprint }),
      ...(shared && { shared }),
      ...(duplicateOf && { duplicateOf }),
    }
  },
  fold(halves, entry) {
    if (entry.type === 'accepted' && entry.fingerprint) halves.remember(entry, entry.fingerprint)
    return halves
  },
})

function isSame(one: Fingerprint, other: Fingerprint): boolean {
  const isNear = Math.abs(one.at - other.at) <= MAX_APART_MS
  return one.hash === other.hash && one.shared !== other.shared && isNear
}
