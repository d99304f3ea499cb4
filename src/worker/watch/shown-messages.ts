import type { Asked, Delivery } from '../../delivery.ts'
import { waitAtMost } from '../../patience.ts'
import type { DeliveryClaim, Shown, Store } from '../../spool/store.ts'

/** More than fit on any screen. */
const MAX_SHOWN = 100
/** How long a message waits until it knows which one it replaces. Most requests take less. */
const PATIENCE_MS = 2000

type Place = Pick<Shown, 'channel' | 'session'>

type ShownStore = Pick<
  Store,
  'shown' | 'keepShown' | 'claimShown' | 'finishDelivery' | 'releaseDelivery'
>

/**
 * Messages that are shown and can be withdrawn, oldest first: on the cards of their events, since a worker may end long
 * before a person answers. On a full disk, messages just stay shown.
 */
export class ShownMessages {
  readonly #store: ShownStore
  /** Changes by this worker that are under way. */
  readonly #changes = new Map<Promise<void>, Place>()
  /** Those that this worker has taken. */
  readonly #taken = new Map<DeliveryClaim, Shown>()

  constructor(store: ShownStore) {
    this.#store = store
  }

  list(): readonly Shown[] {
    return this.#store.shown()
  }

  latest(place: Place): Shown | undefined {
    return this.list().findLast((one) => isAt(one, place))
  }

  /** Whether another message is shown there, or is being changed. */
  isFilled(place: Place): boolean {
    return [...this.list(), ...this.#taken.values()].some((one) => isAt(one, place))
  }

  /** @returns whether it is kept */
  async add(shown: Shown): Promise<boolean> {
    try {
      await this.#store.keepShown(shown)
      for (const one of this.list().slice(0, -MAX_SHOWN)) await this.remove(one)
      return true
    } catch {
      // A full disk: at worst a notification stays until somebody dismisses it.
      return false
    }
  }

  /** Takes a message to change or replace it. @returns undefined if it is gone, or taken */
  take(shown: Shown): DeliveryClaim | undefined {
    try {
      const claim = this.#store.claimShown(shown)
      if (claim) this.#taken.set(claim, shown)
      return claim
    } catch {
      return undefined
    }
  }

  /** Ends what `take` began. @param isOver whether it is gone, or kept anew; otherwise it is as before */
  async end(claim: DeliveryClaim, isOver: boolean) {
    this.#taken.delete(claim)
    const ending = isOver ? this.#store.finishDelivery(claim) : this.#store.releaseDelivery(claim)
    // Such as on a full disk: the next worker gets it back.
    await ending.catch(() => {})
  }

  /**
   * Takes a message, unless that is impossible, and does the work.
   * @param work returns what is shown afterwards: undefined if nothing, or the same if nothing was changed
   * @returns whether a change is kept
   */
  async change(shown: Shown, work: () => Promise<Shown | undefined>): Promise<boolean> {
    const claim = this.take(shown)
    if (!claim) return false
    const endChange = this.#begin(shown)
    let isOver = false
    let isKept = false
    try {
      const after = await work()
      isKept = after !== undefined && after !== shown && (await this.add(after))
      isOver = isKept || after === undefined
    } finally {
      await this.end(claim, isOver)
      endChange()
    }
    return isKept
  }

  /**
   * For a message that may replace another one: waits while this worker changes or sends one there, but not for long,
   * since a question must not wait for a request that hangs. @returns the function to call when it is sent
   */
  async takeTurn(place: Place): Promise<() => void> {
    const earlier = [...this.#changes].flatMap(([change, one]) =>
      isAt(one, place) ? [change] : [],
    )
    const end = this.#begin(place)
    await waitAtMost(PATIENCE_MS, Promise.all(earlier))
    return end
  }

  #begin(place: Place): () => void {
    let resolve = () => {}
    const change = new Promise<void>((end) => {
      resolve = end
    })
    this.#changes.set(change, place)
    return () => {
      this.#changes.delete(change)
      resolve()
    }
  }

  async remove(shown: Shown) {
    const claim = this.take(shown)
    if (claim) await this.end(claim, true)
  }
}

function isAt(one: Place, { channel, session }: Place): boolean {
  return one.channel === channel && one.session === session
}

interface How extends Pick<Shown, 'handle' | 'knownAt'> {
  /** The open questions that it repeats. */
  others: readonly Asked[]
  /** Whether its text can be replaced. */
  canUpdate: boolean
}

/** What to remember of a message that is shown. */
export function toShown(delivery: Delivery, { others, canUpdate, ...how }: How): Shown {
  const { channel, session, events, kind, acceptedAt: at, message, sessionEnv } = delivery
  const { client, sessionId } = message
  const { questions = [] } = delivery
  const [event = ''] = events
  const isOfSeveral = events.length + others.length > 1
  return {
    ...{ channel, session, event, client, sessionId, kind, at, sessionEnv },
    ...how,
    questions: [...questions, ...others],
    tellsMore: events.length > questions.length,
    ...(message.asks && { asks: true }),
    ...(canUpdate && isOfSeveral && { told: { events, message } }),
  }
}
