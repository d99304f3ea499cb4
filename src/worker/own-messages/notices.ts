import { channelOf } from '../../config/channels.ts'
import type { LoadedConfig } from '../../config/load/load.ts'
import { DESKTOP_OF_LAST_RESORT, readChannels } from '../../deliver/audience.ts'
import type { MessageLife } from '../../deliver/message-life.ts'
import type { Outcome } from '../../deliver/outcome.ts'
import type { Delivery } from '../../delivery.ts'
import type { AgentEvent } from '../../event/event.ts'
import { OWN_CLIENT } from '../../journal/own-events.ts'
import type { Claim } from '../../spool/claim.ts'
import type { Store } from '../../spool/store.ts'
import type { OwnChannels } from './own-channels.ts'
import { ownReport } from './own-report.ts'

/** What hookbell itself reports to a person, on one channel after the other until one delivers it. */
export interface Notice {
  /** The title of its event. */
  reason: string
  wordsFor: (channel: string) => string
  /** Channels that were tried, or that cannot be used. */
  tried: readonly string[]
  /** Why it need not be sent any more. */
  whyOver?: () => string | undefined
  /** Called with the id of the event that reports it on another channel. */
  moved?: (id: string) => void
}

interface NoticeDeps {
  store: Store
  channels: OwnChannels
  config(): LoadedConfig
  deadChannels(): readonly string[]
  /** Withdraws what is shown of an event. */
  withdraw(event: string): Promise<void>
}

type Env = Readonly<Record<string, string>>

/** Sends each notice on another channel if the one before fails. */
export class Notices {
  readonly #deps: NoticeDeps
  readonly #accepted: Claim[] = []
  /** Those being delivered, by the id of their event. */
  readonly #underWay = new Map<string, Notice>()

  constructor(deps: NoticeDeps) {
    this.#deps = deps
  }

  /**
   * Accepts it as an event for the next channel, if there is one: on the disk when this returns.
   * @param env of the session whose desktop is meant
   */
  add(notice: Notice, env: Env) {
    const channel = this.#nextChannel(notice.tried)
    if (channel === undefined || notice.whyOver?.() !== undefined) return
    try {
      const claim = this.accept(ownReport(notice.reason, notice.wordsFor(channel)), channel, env)
      this.watch(claim.id, notice)
      notice.moved?.(claim.id)
      this.#accepted.push(claim)
    } catch {
      // Such as a full disk: `status` reports the problem.
    }
  }

  /**
   * Accepts and claims an event of hookbell's own, for one channel whatever the routes say.
   * @throws the system error if it cannot be stored
   */
  accept(body: Buffer, channel: string, env: Env): Claim {
    const claim = this.#deps.store.acceptOwn({ client: OWN_CLIENT, env: { ...env } }, body)
    this.#deps.channels.set(claim.id, channel)
    return claim
  }

  /** Sends the notice on another channel if this event, which reports it, fails. */
  watch(id: string, notice: Notice) {
    if (!this.#underWay.has(id)) this.#underWay.set(id, notice)
  }

  /**
   * Call this with each event: another worker may have ended before it could send a notice.
   * @returns the channel if it is one of hookbell's own events
   */
  takeOver({ client, id, means, reason, message }: AgentEvent): string | undefined {
    const channel = client === OWN_CLIENT ? this.#deps.channels.get(id) : undefined
    if (means !== 'StopFailure' || channel === undefined) return channel
    // Another channel may have a lower clearance.
    const wordsFor = (reader: string) => (this.#isMinimal(reader) ? '' : message)
    this.watch(id, { reason, wordsFor, tried: [channel] })
    return channel
  }

  get hasOwn(): boolean {
    return this.#accepted.length > 0
  }

  /** The claimed events of the notices that were added since the last call. */
  takeOwn(): Claim[] {
    return this.#accepted.splice(0)
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
  async ended(
    { events, channel, message, sessionEnv }: Delivery,
    { type }: Outcome,
  ): Promise<void> {
    if (type === 'deferred' || type === 'held' || type === 'released') return
    for (const id of events) {
      if (message.client === OWN_CLIENT) this.#deps.channels.delete(id)
      const notice = this.#underWay.get(id)
      if (!notice) continue
      this.#underWay.delete(id)
      if (type === 'unavailable' || type === 'exhausted')
        this.add({ ...notice, tried: [...notice.tried, channel] }, sessionEnv)
      // It may have become untrue while it was on its way.
      if (type === 'delivered' && notice.whyOver?.() !== undefined) await this.#deps.withdraw(id)
    }
  }

  /** A summary is sent even so, because it reports more than the notice. */
  #whyOver({ events: [id = '', ...others] }: Delivery): string | undefined {
    return others.length > 0 ? undefined : this.#underWay.get(id)?.whyOver?.()
  }

  #isMinimal(channel: string): boolean {
    return channelOf(channel, this.#deps.config().config)?.clearance === 'minimal'
  }

  #nextChannel(tried: readonly string[]): string | undefined {
    const names = [...readChannels(this.#deps.config().config), DESKTOP_OF_LAST_RESORT]
    const dead = this.#deps.deadChannels()
    return names.find((name) => !tried.includes(name) && !dead.includes(name))
  }
}
