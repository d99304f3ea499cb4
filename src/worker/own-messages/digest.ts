import { channelOf } from '../../config/channels.ts'
import type { Config } from '../../config/schema/schema.ts'
import { type Delivery, deliveryId } from '../../delivery.ts'
import { type JournalEntry, OWN_CLIENT } from '../../journal/entry.ts'
import { isAccepted } from '../../journal/history.ts'
import { RECORD_LIMIT_MS } from '../../journal/journal.ts'
import { readJournal } from '../../journal/read.ts'
import { waitAtMost } from '../../patience.ts'
import { digestMessage, isWorthTelling, makeDigest } from '../../report/digest.ts'
import { isSoleWorker } from '../../spool/lock/lock.ts'
import { lastDue, nextDue } from '../../text/schedule.ts'
import type { WorkerDeps } from '../deps.ts'
import type { WorkerMemory } from '../memory.ts'
import { readStatuses } from '../read-statuses.ts'
import { ownEntry } from './notices.ts'

type Schedule = NonNullable<Config['digest']>

/**
 * Sends the configured digest once per due time. Its id is derived from that time, so a worker that ends in the middle
 * causes no second one. Only the holder of the lock makes one. A failure is retried at the next check.
 */
export class DigestSchedule {
  readonly #deps: WorkerDeps
  /** The last due time that is settled, Unix ms. */
  #settledAt: number | undefined
  #handled = 0
  /** Whether something has happened since the last digest, so that the worker should stay for the next one. */
  #isExpected = true

  constructor(deps: WorkerDeps) {
    this.#deps = deps
  }

  /** Milliseconds until the next digest; undefined if none is configured or it would be empty. */
  get nextInMs(): number | undefined {
    const { digest } = this.#deps.config.last.config
    const now = this.#deps.now()
    return digest && this.#isExpected ? nextDue(digest, now) - now : undefined
  }

  /** @param handled how many events and deliveries this worker has begun so far */
  async check(handled: number) {
    const { config, memory, now, stateDir } = this.#deps
    const { digest } = config.last.config
    if (handled > this.#handled) this.#isExpected = true
    this.#handled = Math.max(this.#handled, handled)
    if (!digest || !isSoleWorker(stateDir)) return
    const due = lastDue(digest, now())
    this.#settledAt ??= settledIn(memory)
    // Without a settled time, the digest is new: the first one is sent at the next due time.
    if (this.#settledAt !== undefined && due > this.#settledAt) {
      try {
        // The digest's own deliveries are no reason for the worker to stay.
        this.#handled += await this.#send(digest, due)
      } catch {
        return
      }
      this.#isExpected = false
    }
    // Without the note, the id in the journal still shows what was sent.
    if (due !== this.#settledAt) memory.note('digest', `${due}`, now())
    this.#settledAt = due
  }

  /** Keeps and records the digest's deliveries. They are on the disk when it resolves. @returns how many deliveries */
  async #send(schedule: Schedule, due: number): Promise<number> {
    const { stateDir, store, journal, config, now } = this.#deps
    // After a night without a worker, transcripts may show answers that are not recorded yet.
    await this.#deps.open.look((work) => void work.catch(() => {}))
    await waitAtMost(RECORD_LIMIT_MS, journal.written())
    const entries: JournalEntry[] = []
    for await (const entry of readJournal(stateDir)) entries.push(entry)
    const digest = makeDigest(entries, { from: lastDue(schedule, due - 1), to: due })
    if (!isWorthTelling(digest)) return 0
    const id = `digest-${new Date(due).toISOString().replaceAll(/[:-]|\.\d+/g, '')}`
    const known = (await readStatuses(stateDir, [id])).get(id)
    const open = schedule.to.filter(
      (channel) => !Object.hasOwn(known?.channels ?? {}, channel) && !store.isKept(id, channel),
    )
    for (const channel of open) {
      const message = digestMessage(digest, channelOf(channel, config.last.config)?.clearance)
      const delivery = { ...this.#delivery(id, channel, message), notBefore: due }
      // Held deliveries are judged again before they are sent, so that mutes apply.
      await store.keep({ state: 'held', reason: 'the digest', delivery })
    }
    if (known && isAccepted(known)) return open.length
    const message = this.#delivery(id, '', digestMessage(digest))
    const place = { config: config.last.config, at: now() }
    const entry = { ...ownEntry(message, place), to: [...schedule.to] }
    await waitAtMost(RECORD_LIMIT_MS, journal.append(entry))
    return open.length
  }

  #delivery(id: string, channel: string, text: { title: string; body: string }): Delivery {
    const { host, now } = this.#deps
    const urgency = 'normal'
    return {
      ...{ id: deliveryId(id, channel), events: [id], host, channel, session: id, urgency },
      kind: 'other',
      message: {
        ...{ id, event: 'Digest', kind: 'other', urgency, ...text, markup: '' },
        ...{ sessionId: '', cwd: '', client: OWN_CLIENT, at: new Date(now()).toISOString() },
      },
      sessionEnv: { ...this.#deps.lastSession.env },
      ...{ acceptedAt: now(), notBefore: 0, expires: 0, attempts: 0, firstTriedAt: 0 },
    }
  }
}

function settledIn({ notes }: WorkerMemory): number | undefined {
  const at = Number(notes.latest('digest') || Number.NaN)
  return Number.isSafeInteger(at) ? at : undefined
}
