import { dropOldest } from '../../drop-oldest.ts'
import type { AcceptedEntry } from '../../journal/entry.ts'
import { definePolicy, type JudgedEvent } from '../types.ts'

/** The hooks of one event start together, and the client ends them after the timeout that `init` registers. */
const MAX_APART_MS = 10_000
/** Limits memory: an event stays known after its first copy, because a second one may come. */
const MAX_KNOWN = 1000
/** The same limit for events with the same content. */
const MAX_ALIKE = 50

/** An event that was sent, and the registrations from which copies of it came. */
interface Sent {
  id: string
  at: number
  hash: string
  sources: string[]
}

/** The form in which it is saved, oldest first. */
interface Saved {
  /** Events that were sent. */
  open: Sent[]
  /** Pairs of ids: the event, and the one of which it is a copy. */
  found: [string, string][]
}

/** Sent events by fingerprint, and the copies that were found. */
class Copies {
  readonly #sent = new Map<string, Sent[]>()
  readonly #found: Map<string, string>

  constructor({ open, found }: Saved) {
    this.#found = new Map(found)
    for (const one of open) this.#add(one)
  }

  /** The event of which this one is a copy, with its sources as far as they are known. */
  originalOf(event: JudgedEvent) {
    const { id, at, fingerprint: hash } = event
    const before = this.#found.get(id)
    if (before !== undefined) return { id: before, sources: [] }
    if (!hash) return undefined
    const source = sourceOf(event)
    const isSame = (one: Sent) =>
      Math.abs(one.at - at) <= MAX_APART_MS && !one.sources.includes(source)
    return this.#sent.get(hash)?.find(isSame)
  }

  remember(entry: AcceptedEntry, hash: string) {
    const { id, acceptedAt: at, duplicateOf, to = [] } = entry
    const source = sourceOf(entry)
    const others = this.#sent.get(hash)?.filter((one) => one.id !== id) ?? []
    const original = others.find((one) => one.id === duplicateOf)
    if (original && !original.sources.includes(source)) original.sources.push(source)
    if (others.length > 0) this.#sent.set(hash, others)
    else this.#sent.delete(hash)
    if (duplicateOf) {
      this.#found.set(id, duplicateOf)
      dropOldest(this.#found, MAX_KNOWN)
    }
    // An event that was sent to nobody is no reason to suppress its copies.
    else if (to.length > 0) this.#add({ id, at, hash, sources: [source] })
  }

  toJSON(): Saved {
    return { open: [...this.#sent.values()].flat(), found: [...this.#found] }
  }

  #add(one: Sent) {
    const alike = this.#sent.get(one.hash) ?? []
    this.#sent.delete(one.hash)
    this.#sent.set(one.hash, [...alike, one].slice(-MAX_ALIKE))
    dropOldest(this.#sent, MAX_KNOWN)
  }
}

/**
 * Suppresses the copies of an event. A client runs the user's own hooks and those of the project, and some clients also
 * run the hooks of another one, so an event may be accepted several times with the same content. Each registration fires
 * once per event, so two from the same one are two events, however alike they are. In doubt both are sent.
 */
export const duplicates = definePolicy<Copies>({
  name: 'duplicates',
  isNoise: false,
  restore: (saved = { open: [], found: [] }) => new Copies(saved as Saved),
  judge(event, _, copies) {
    const original = copies.originalOf(event)
    if (!original) return { type: 'send' }
    const reason = `the same event as ${original.id.slice(0, 8)}, from ${inWords(original.sources[0])}`
    return { type: 'suppress', reason }
  },
  note(event, copies) {
    const { fingerprint, shared, via } = event
    const duplicateOf = copies.originalOf(event)?.id
    return {
      ...(via !== undefined && { via }),
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

/** The registration of the hook: in whose settings, and for which client. */
function sourceOf({ shared, via = '' }: { shared?: boolean; via?: string | undefined }): string {
  return `${shared ? 'project' : 'user'} ${via}`
}

function inWords(source: string | undefined): string {
  if (source === undefined) return 'another registration'
  const [scope, via] = source.split(' ')
  const whose = scope === 'user' ? 'your own hooks' : 'the hooks of the project'
  return via ? `${whose} for ${via}` : whose
}
