import type { AcceptedEntry } from '../journal/entry.ts'
import { definePolicy, type JudgedEvent } from './types.ts'

/** Two hooks of one event start together, and a client ends them after the timeout that `init` registers. */
const MAX_APART_MS = 10_000
/** Where there is one registration only, no event ever finds its other half. */
const MAX_KNOWN = 1000

/** What shows that two accepted events are one. */
interface Fingerprint {
  id: string
  at: number
  shared: boolean
  hash: string
}

interface State {
  /** Events that were told and have found no other half, oldest first. */
  open: Fingerprint[]
  /** Pairs of ids: the event, and the one it repeats. Oldest first. */
  found: [string, string][]
}

/**
 * A client runs the user's own hooks and those of the project, so with both an event is accepted twice, word for word
 * the same. Each registration fires once per event: two from the same one are two events, however alike they are.
 * What is not known is told.
 */
export const duplicates = definePolicy<State>({
  name: 'duplicates',
  isNoise: false,
  initial: { open: [], found: [] },
  judge(event, _, state) {
    const other = otherHalf(event, state)
    if (!other) return { type: 'send' }
    const whose = event.shared ? 'your own hooks' : 'the hooks of the project'
    return { type: 'suppress', reason: `the same event as ${other.slice(0, 8)}, from ${whose}` }
  },
  note(event, state) {
    const { fingerprint, shared } = event
    const duplicateOf = otherHalf(event, state)
    return {
      ...(fingerprint && { fingerprint }),
      ...(shared && { shared }),
      ...(duplicateOf && { duplicateOf }),
    }
  },
  fold(state, entry) {
    if (entry.type === 'accepted' && entry.fingerprint) remember(state, entry, entry.fingerprint)
    return state
  },
})

function otherHalf({ id, at, shared, fingerprint }: JudgedEvent, { open, found }: State) {
  const before = found.find(([known]) => known === id)
  if (before || !fingerprint) return before?.[1]
  const self = { id, at, shared, hash: fingerprint }
  return open.find((one) => one.hash === fingerprint && isSame(one, self))?.id
}

function remember(state: State, entry: AcceptedEntry, hash: string) {
  const { id, acceptedAt: at, shared = false, duplicateOf, to = [] } = entry
  state.open = state.open.filter((one) => one.id !== id && one.id !== duplicateOf)
  if (duplicateOf) append(state.found, [id, duplicateOf])
  // What nobody was told of is no reason to suppress its other half.
  else if (to.length > 0) append(state.open, { id, at, shared, hash })
}

function append<Item>(list: Item[], item: Item) {
  list.push(item)
  if (list.length > MAX_KNOWN) list.shift()
}

function isSame(one: Fingerprint, other: Fingerprint): boolean {
  const isNear = Math.abs(one.at - other.at) <= MAX_APART_MS
  return one.hash === other.hash && one.shared !== other.shared && isNear
}
