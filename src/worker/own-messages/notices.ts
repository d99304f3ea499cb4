import type { LoadedConfig } from '../../config/load/load.ts'
import { DESKTOP_OF_LAST_RESORT, readChannels } from '../../deliver/audience.ts'
import type { MessageLife } from '../../deliver/message-life.ts'
import type { Outcome } from '../../deliver/outcome.ts'
import type { Delivery } from '../../delivery.ts'
import { OWN_CLIENT } from '../../journal/own-client.ts'
import type { Claim } from '../../spool/claim.ts'
import type { Store } from '../../spool/store.ts'
import { ownReport } from './own-report.ts'

/** What hookbell itself reports to a person, on one channel after the other until one carries it. */
export interface Notice {
  /** The title of its event. */
  reason: string
  wordsFor: (channel: string) => string
  /** Channels on which it was or cannot be sent. */
  tried: readonly string[]
  sessionEnv: Readonly<Record<string, string>>
  /** Why it need not be sent any more. */
  whyOver?: () => string | undefined
  /** Called with the id of the event that carries it on another channel. */
  moved?: (id: string) => void
}

interface NoticeDeps {
  store: Store
  config(): LoadedConfig
  deadChannels(): readonly string[]
}

/** Sends each notice on another channel if the one before fails. */
export class Notices {
  readonly #deps: NoticeDeps
  #waiting: Notice[] = []
  /** Those being delivered, by the id of their event. */
  readonly #underWay = new Map<string, Notice>()

  constructor(deps: NoticeDeps) {
    this.#deps = deps
  }

  add(notice: Notice) {
    this.#waiting.push(notice)
  }

  /** This event carries the notice: sends it on another channel if the event fails. */
  watch(id: string, notice: Notice) {
    this.#underWay.set(id, notice)
  }

  get hasOwn(): boolean {
    return this.#waiting.length > 0
  }

  /** The notices to send now, accepted and claimed as events. */
  takeOwn(): Claim[] {
    return this.#waiting.splice(0).flatMap((notice) => {
      const channel = this.#nextChannel(notice.tried)
      if (channel === undefined || notice.whyOver?.() !== undefined) return []
      const body = ownReport(notice.reason, notice.wordsFor(channel))
      const header = { client: OWN_CLIENT, channel, env: { ...notice.sessionEnv } }
      try {
        const claim = this.#deps.store.acceptOwn(header, body)
        this.watch(claim.id, notice)
        notice.moved?.(claim.id)
        return claim
      } catch {
        // Such as a full disk: `status` reports the problem.
        return []
      }
    })
  }

  /** Wraps a message life, so that a notice is not sent when it is over. */
  around(life: MessageLife): MessageLife {
    return {
      whyOver: async (delivery) =>
        this.#of(delivery)?.whyOver?.() ?? (await life.whyOver(delivery)),
      whyLater: (delivery) => life.whyLater(delivery),
      begin: (delivery, destination) => life.begin(delivery, destination),
    }
  }

  /** Call this with each delivery that was attempted or dropped. */
  ended(delivery: Delivery, { type }: Outcome) {
    const notice = this.#of(delivery)
    if (!notice || type === 'deferred' || type === 'held' || type === 'released') return
    for (const id of delivery.events) this.#underWay.delete(id)
    if (type === 'unavailable' || type === 'exhausted')
      this.add({ ...notice, tried: [...notice.tried, delivery.channel] })
  }

  #of({ events }: Delivery): Notice | undefined {
    return this.#underWay.get(events[0] ?? '')
  }

  #nextChannel(tried: readonly string[]): string | undefined {
    const names = [...readChannels(this.#deps.config().config), DESKTOP_OF_LAST_RESORT]
    const dead = this.#deps.deadChannels()
    return names.find((name) => !tried.includes(name) && !dead.includes(name))
  }
}
