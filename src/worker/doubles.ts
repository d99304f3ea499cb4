import { createHash } from 'node:crypto'
import { readRecent } from '../journal/read.ts'
import type { Decision } from '../route/route.ts'
import type { Header } from '../spool/header.ts'

/** Two hooks of one event start together, and a client ends them after the timeout that `init` registers. */
const MAX_APART_MS = 10_000
/** Where there is one registration only, no event ever finds its double. */
const MAX_KNOWN = 1000

/** What shows that two accepted events are one. */
export interface Print {
  id: string
  at: number
  /** From the hooks of a project, not from the user's own. */
  shared: boolean
  /** Of client and content. */
  hash: string
}

/**
 * A client runs the user's own hooks and those of the project, so with both an event is accepted twice, word for word
 * the same. Each registration fires once per event: two from the same one are two events, however alike they are.
 * A new worker knows from the journal what the last one told. What is not known is told.
 */
export class Doubles {
  readonly #state: string
  readonly #open = new Map<string, Print>()
  /** Which event is the other half of a double that was found before. */
  readonly #found = new Map<string, string>()
  #restored: Promise<void> | undefined

  constructor(state: string) {
    this.#state = state
  }

  /** What was decided, unless a person is told of the same event already. */
  async judge(decision: Decision, print: Print | undefined): Promise<Decision> {
    if ('suppress' in decision || !print) return decision
    this.#restored ??= this.#restore()
    await this.#restored
    const double = this.#found.get(print.id) ?? this.#find(print)
    if (!double) return decision
    const whose = print.shared ? 'your own hooks' : 'the hooks of the project'
    return { suppress: `the same event as ${double.slice(0, 8)}, from ${whose}`, double }
  }

  /** Each is the double of one other. */
  #find(print: Print): string | undefined {
    for (const one of this.#open.values()) {
      if (!areOne(one, print)) continue
      this.#open.delete(one.id)
      remember(this.#found, print.id, one.id)
      return one.id
    }
    remember(this.#open, print.id, print)
    return undefined
  }

  async #restore() {
    for (const entry of await readRecent(this.#state)) {
      if (entry.type !== 'accepted' || !entry.print) continue
      const { id, acceptedAt, print, shared = false, double } = entry
      if (double) remember(this.#found, id, double)
      else if (entry.to) remember(this.#open, id, { id, at: acceptedAt, shared, hash: print })
    }
    for (const id of this.#found.values()) this.#open.delete(id)
  }
}

/** Nothing for an event that nobody can tell from others: without a session, or cut. */
export function printOf(
  stored: { header: Header; body: Buffer; truncated: boolean; at: number },
  { id, sessionId }: { id: string; sessionId: string },
): Print | undefined {
  const { header, body, truncated, at } = stored
  if (!sessionId || truncated || header.channel) return undefined
  // One hook may have read the line break at the end, the other may not have waited for it.
  const text = body.toString('latin1').trim()
  const hash = createHash('sha256').update(`${header.client}\n${text}`, 'latin1').digest('hex')
  return { id, at, shared: header.shared === true, hash: hash.slice(0, 24) }
}

function remember<Value>(map: Map<string, Value>, id: string, value: Value) {
  map.set(id, value)
  const [oldest] = map.keys()
  if (map.size > MAX_KNOWN && oldest !== undefined) map.delete(oldest)
}

function areOne(one: Print, other: Print): boolean {
  const isNear = Math.abs(one.at - other.at) <= MAX_APART_MS
  return one.hash === other.hash && one.shared !== other.shared && isNear
}
