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
  /** Why it need not be sent any more. */
  whyOver?: () => string | undefined
  /** Called with the id of the event that carries it on another channel. */
  moved?: (id: string) => void
}

interface NoticeDeps {
  store: Store
  config(): LoadedConfig
  deadChannels(): readonly string[]
  /** Withdraws what is shown of an event. */
  withdraw(event: string): Promise<void>
}

type Env = Readonly<Record<string, string>>

/** Sends each notice on another channel if the one before fails. */
export class Notices {
  readonly #deps: NoticeDeps
  #waiting: { notice: Notice; env: Env }[] = []
  /** Those being delivered, by the id of their event. */
  readonly #underWay = new Map<string, Notice>()

  constructor(deps: NoticeDeps) {
    this.#deps = deps
  }

  /** @param env of the session whose desktop is meant */
  add(notice: Notice, env: Env) {
    this.#waiting.push({ notice, env })
  }

  /** This event carries the notice: sends it on another channel if the event fails. */
  watch(id: string, notice: Notice) {
    if (!this.#underWay.has(id)) this.#underWay.set(id, notice)
  }

  get hasOwn(): boolean {
    return this.#waiting.length > 0
  }

  /** The notices to send now, accepted and claimed as events. */
  takeOwn(): Claim[] {
    return this.#waiting.splice(0).flatMap(({ notice, env }) => {
      const channel = this.#nextChannel(notice.tried)
      if (channel === undefined || notice.whyOver?.() !== undefined) return []
      const body = ownReport(notice.reason, notice.wordsFor(channel))
      const header = { client: OWN_CLIENT, channel, env: { ...env } }
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
      whyOver: async (delivery) => this.#whyOver(delivery) ?? (await life.whyOver(delivery)),
      whyLater: (delivery) => life.whyLater(delivery),
      begin: (delivery, destination) => life.begin(delivery, destination),
    }
  }

  /** Call this with each delivery that was attempted or dropped. */
  async ended({ events, channel, sessionEnv }: Delivery, { type }: Outcome): Promise<void> {
    if (type === 'deferred' || type === 'held' || type === 'released') return
    for (const id of events) {
      const notice = this.#underWay.get(id)
      if (!notice) continue
      this.#underWay.delete(id)
      if (type === 'unavailable' || type === 'exhausted')
        this.add({ ...notice, tried: [...notice.tried, channel] }, sessionEnv)
      // It may have become untrue while it was on its way.
      if (type === 'delivered' && notice.whyOver?.() !== undefined) await this.#deps.withdraw(id)
    }
  }

  /** A summary tells more than the notice. */
  #whyOver({ events: [id = '', ...others] }: Delivery): string | undefined {
    return others.length > 0 ? undefined : this.#underWay.get(id)?.whyOver?.()
  }

  #nextChannel(tried: readonly string[]): string | undefined {
    const names = [...readChannels(this.#deps.config().config), DESKTOP_OF_LAST_RESORT]
    const dead = this.#deps.deadChannels()
    return names.find((name) => !tried.includes(name) && !dead.includes(name))
  }
}
