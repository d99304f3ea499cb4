import { channelOf } from '../../config/channels.ts'
import type { CurrentConfig } from '../../config/current.ts'
import type { LoadedConfig } from '../../config/load/load.ts'
import type { Config } from '../../config/schema/schema.ts'
import type { Outcome } from '../../deliver/attempt.ts'
import { DESKTOP_OF_LAST_RESORT, readChannels } from '../../deliver/audience.ts'
import type { MessageLife } from '../../deliver/message-life.ts'
import type { Delivery } from '../../delivery.ts'
import { parseEvent } from '../../event/parse.ts'
import { type AcceptedEntry, OWN_CLIENT } from '../../journal/entry.ts'
import { isAccepted } from '../../journal/history.ts'
import type { Journal } from '../../journal/journal.ts'
import type { PrepareDeps } from '../../prepare/decide.ts'
import { prepare } from '../../prepare/prepare.ts'
import type { DeliveryClaim } from '../../spool/cards.ts'
import { newId } from '../../spool/layout.ts'
import type { Store } from '../../spool/store.ts'
import type { WorkerMemory } from '../memory.ts'
import { readStatuses } from '../read-statuses.ts'

/** A message of hookbell itself, and its line for the journal. */
export interface OwnMessage {
  entry: AcceptedEntry
  delivery: Delivery
}

/** What hookbell itself reports to a person, on one channel after the other until one delivers it. */
interface Notice {
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
  journal: Journal
  make(event: OwnEvent, channel: string): Promise<OwnMessage>
  stateDir: string
  config(): LoadedConfig
  now(): number
  deadChannels(): readonly string[]
  /** Withdraws what is shown of an event. */
  withdraw(event: string): Promise<void>
}

/** Sends each notice on another channel if the one before fails. */
export class Notices {
  readonly #deps: NoticeDeps
  /** Makes a message of hookbell's own for one channel, whatever the routes say. */
  readonly make: NoticeDeps['make']
  readonly #added: DeliveryClaim[] = []
  /** Ids of the events of those that this worker has put on their cards. */
  readonly #recorded = new Set<string>()
  /** Those being delivered, by the id of their event. */
  readonly #inFlight = new Map<string, Notice>()

  constructor(deps: NoticeDeps) {
    this.#deps = deps
    this.make = deps.make
  }

  /**
   * Puts it on a card for the next channel, if there is one: on the disk when this resolves.
   * @param env of the session whose desktop is meant
   */
  async add(notice: Notice, env: OwnEvent['env']) {
    const channel = this.#nextChannel(notice.tried)
    if (channel === undefined || notice.whyOver?.() !== undefined) return
    try {
      const report = ownReport(notice.reason, notice.wordsFor(channel), env)
      const claim = this.put(await this.make(report, channel))
      this.watch(claim.event, notice)
      notice.moved?.(claim.event)
      this.#added.push(claim)
    } catch {
      // Such as a full disk: `status` reports the problem.
    }
  }

  /** Puts it on a card, and claims it. On the disk when this returns. @throws the system error */
  put({ entry, delivery }: OwnMessage): DeliveryClaim {
    const { journal, store } = this.#deps
    const claim = store.keepOwn({ state: 'deferred', reason: 'not sent yet', delivery })
    this.#recorded.add(entry.id)
    void journal.append(entry)
    return claim
  }

  /**
   * Call this with each message of hookbell's own that is on a card, before it is sent: its line may be lost with the worker
   * that put it there.
   */
  async record(delivery: Delivery) {
    const [id = ''] = delivery.events
    if (this.#recorded.has(id)) return
    this.#recorded.add(id)
    const { config, journal, now, stateDir } = this.#deps
    const known = (await readStatuses(stateDir, [id])).get(id)
    if (known && isAccepted(known)) return
    void journal.append(ownEntry(delivery, { config: config().config, at: now() }))
  }

  /** Sends the notice on another channel if the message of this event, which reports it, fails. */
  watch(id: string, notice: Notice) {
    if (!this.#inFlight.has(id)) this.#inFlight.set(id, notice)
  }

  get hasOwn(): boolean {
    return this.#added.length > 0
  }

  /** The claimed messages of the notices that were added since the last call. */
  takeOwn(): DeliveryClaim[] {
    return this.#added.splice(0)
  }

  /** Wraps a message life, so that a notice is not sent when it is over. */
  wrap(life: MessageLife): MessageLife {
    return {
      whyOver: async (delivery) => this.#whyOver(delivery) ?? (await life.whyOver(delivery)),
      whyLater: (delivery) => life.whyLater(delivery),
      begin: (delivery, destination) => life.begin(delivery, destination),
    }
  }

  /** Call this with each delivery that was attempted or dropped. */
  async ended(delivery: Delivery, outcome: Outcome): Promise<void> {
    const { type } = outcome
    if (type === 'deferred' || type === 'held' || type === 'released') return
    const { events, channel, sessionEnv } = delivery
    for (const id of events) {
      const notice = this.#inFlight.get(id) ?? this.#ofEarlierWorker(outcome)
      if (!notice) continue
      this.#inFlight.delete(id)
      if (type === 'unavailable' || type === 'exhausted')
        await this.add({ ...notice, tried: [...notice.tried, channel] }, sessionEnv)
      // It may have become untrue while it was on its way.
      if (type === 'delivered' && notice.whyOver?.() !== undefined) await this.#deps.withdraw(id)
    }
  }

  /** A report that another worker put on its card. Another channel may have a lower clearance. */
  #ofEarlierWorker(outcome: Outcome): Notice | undefined {
    if (!('delivery' in outcome)) return undefined
    const { events, message } = outcome.delivery
    const { client, event, title, body } = message
    if (client !== OWN_CLIENT || event !== 'StopFailure' || events.length > 1) return undefined
    const wordsFor = (reader: string) => (this.#isMinimal(reader) ? '' : body)
    return { reason: title.replace(`${OWN_CLIENT}: `, ''), wordsFor, tried: [] }
  }

  /** A summary is sent even so, because it reports more than the notice. */
  #whyOver({ events: [id = '', ...others] }: Delivery): string | undefined {
    return others.length > 0 ? undefined : this.#inFlight.get(id)?.whyOver?.()
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

/** Its line for the journal, made from the message alone. */
export function ownEntry(
  { events: [id = ''], acceptedAt, channel, message }: Delivery,
  { config, at }: { config: Config; at: number },
): AcceptedEntry {
  const { event, kind, title, body } = message
  return {
    ...{ at, id, type: 'accepted', acceptedAt, event, kind, title, to: [channel] },
    ...{ client: OWN_CLIENT, sessionId: '', project: '' },
    ...(config.journal.text && { text: body }),
  }
}

/** What hookbell itself has to say, as an event whose hook it fires. */
export interface OwnEvent {
  body: Buffer
  /** Of the session whose desktop is meant. */
  env: Readonly<Record<string, string>>
}

/** The event by which hookbell reports a failure. The templates make `reason` its title. */
export function ownReport(reason: string, message: string, env: OwnEvent['env']): OwnEvent {
  return {
    body: Buffer.from(JSON.stringify({ hook_event_name: 'StopFailure', reason, message })),
    env,
  }
}

interface MakeDeps extends Omit<PrepareDeps, 'memory'> {
  config: Pick<CurrentConfig, 'last'>
  memory: Pick<WorkerMemory, 'get'>
}

/** Makes the message for one channel, whatever the routes say. */
export async function makeOwnMessage(
  { body, env }: OwnEvent,
  channel: string,
  deps: MakeDeps,
): Promise<OwnMessage> {
  const loaded = deps.config.last
  const header = { client: OWN_CLIENT, env: { ...env } }
  const stored = { id: newId(), at: deps.now(), header, body, truncated: false }
  const event = parseEvent(stored, loaded.config.abnormalReasons)
  const chosen = { channel, shared: false }
  const memory = await deps.memory.get()
  const { entry, deliveries } = await prepare(event, chosen, loaded, { ...deps, memory })
  // A channel that is chosen by name is neither judged nor left out.
  const [delivery] = deliveries as [Delivery]
  return { entry, delivery }
}
