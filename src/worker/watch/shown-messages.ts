import type { LoadedConfig } from '../../config/load/load.ts'
import type { Destination } from '../../deliver/attempt.ts'
import {
  type EarlierMessages,
  ONE_SHOT_MS,
  type Sending,
  update,
  withdraw,
} from '../../deliver/message-life.ts'
import { withOpenQuestions, withoutAnswered } from '../../deliver/summary.ts'
import { type Asked, type Delivery, staysShown } from '../../delivery.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Form } from '../../notifiers/define.ts'
import { waitAtMost } from '../../patience.ts'
import { WENT_ON_BEFORE, whyNotAsked } from '../../policy/held.ts'
import type { Memory } from '../../policy/memory.ts'
import { isAnswered } from '../../policy/questions.ts'
import { isOver as isOutdated, type Session, type SessionRef } from '../../policy/sessions.ts'
import { replaces } from '../../policy/turns.ts'
import type { Shown } from '../../spool/card.ts'
import type { DeliveryClaim } from '../../spool/cards.ts'
import type { Store } from '../../spool/store.ts'
import type { WorkerMemory } from '../memory.ts'
import { FIRST_LOOK_MS, LookTimes, type OpenQuestions } from './open-questions.ts'

/** After this long a shown message is forgotten and never withdrawn. */
const FORGET_AFTER_MS = 24 * 3600_000

/** For how long a withdrawal that failed is tried again. After that the next event of its session tries. */
const RETRY_FOR_MS = 3600_000

/** Messages whose questions can be answered where they are shown. */
interface Forms {
  /** The form that the message becomes; undefined if its question cannot be answered there. Never rejects. */
  begin(delivery: Delivery, destination: Destination): Promise<NewForm | undefined>
  /** What became of it, in the place of its buttons; undefined for a message that is no form. */
  ending(shown: Shown, memory: Memory): Form | undefined
}

interface NewForm {
  form: Form
  kept: Shown['form']
  /** To be called once the message is kept, or could not be sent. */
  end(): void
}

interface OpenDeps {
  store: Store
  journal: Journal
  memory: WorkerMemory
  questions: OpenQuestions
  forms?: Forms
  config(): LoadedConfig
  now(): number
}

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
  /** Changes by this worker that are in flight. */
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

interface How extends Pick<Shown, 'handle' | 'knownAt' | 'form'> {
  /** The open questions that it repeats. */
  others: readonly Asked[]
  /** Whether its text can be replaced. */
  canUpdate: boolean
}

/** What to remember of a message that is shown. */
function toShown(delivery: Delivery, { others, canUpdate, ...how }: How): Shown {
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

/** Shown messages that wait for an answer. The session's next message replaces them, and an answer withdraws them. */
export class OpenMessages implements EarlierMessages {
  readonly #deps: OpenDeps
  readonly #shown: ShownMessages
  /** When withdrawals failed first, Unix ms, by message. */
  readonly #failed = new Map<string, number>()
  readonly #retries: LookTimes
  #hasBegun = false

  constructor(deps: OpenDeps) {
    this.#deps = deps
    this.#shown = new ShownMessages(deps.store)
    this.#retries = new LookTimes(deps.now)
  }

  async whyOver(delivery: Delivery): Promise<string | undefined> {
    const { kind, questions, message, acceptedAt } = delivery
    if (kind !== 'permission' || !questions) return await this.#whyOutdated(delivery)
    const known = await this.#deps.memory.get()
    const ends = () => questions.map((one) => known.endOf(message, one))
    const isFresh = this.#deps.now() - acceptedAt < FIRST_LOOK_MS
    if (ends().includes(undefined) && !isFresh) {
      await this.#deps.questions.lookAt(questions.map(({ id }) => id))
    }
    const [end, ...others] = ends()
    if (!end || others.includes(undefined)) return undefined
    return whyNotAsked(others.find((one) => one?.how !== 'none') ?? end)
  }

  async begin(delivery: Delivery, { notifier, options, key }: Destination): Promise<Sending> {
    const started = await this.#deps.forms?.begin(delivery, { notifier, options, key })
    const canReplace = notifier.canReplace?.(options) === true
    const endTurn = canReplace ? await this.#shown.takeTurn(delivery) : undefined
    const before = canReplace ? this.#takePlace(delivery) : undefined
    const knownAt = this.#deps.memory.current?.session(delivery.message)?.latestAt
    const others = before?.open ?? []
    const canUpdate = notifier.update !== undefined
    const ended = async (handle: string | undefined) => {
      const isReplaced = handle !== undefined && handle === before?.shown.handle
      const stays = handle !== undefined && (started !== undefined || staysShown(delivery.message))
      const how = { knownAt, others, canUpdate, ...(started && { form: started.kept }) }
      const isKept = stays && (await this.#shown.add(toShown(delivery, { handle, ...how })))
      const isItself = before !== undefined && delivery.events[0] === before.shown.event
      const isNoLongerTrue = isReplaced ? isKept || !stays : isKept && isItself
      if (before) await this.#shown.end(before.claim, isNoLongerTrue)
      endTurn?.()
      started?.end()
    }
    return {
      delivery: withOpenQuestions(delivery, others),
      form: started?.form,
      replaces: before?.shown.handle,
      isBeside: canReplace && !before && this.#shown.isFilled(delivery),
      delivered: ended,
      failed: ended,
    }
  }

  /**
   * Withdraws the session's messages that are answered or outdated, and removes answered questions from others. Call it
   * after each event of the session.
   */
  async review(ref: SessionRef): Promise<void> {
    const session = await this.#session(ref)
    if (!session) return
    const all = this.#shown.list().filter((one) => isOf(one, ref))
    await Promise.all(
      all.map((one) =>
        isNoLongerTrue(session, one) ? this.#takeBack(one) : this.#shorten(one, session),
      ),
    )
  }

  /** Withdraws what is shown of an event, because it is not true any more. */
  async withdraw(event: string): Promise<void> {
    const all = this.#shown.list().filter((one) => one.event === event)
    await Promise.all(all.map((one) => this.#takeBack(one)))
  }

  /** Milliseconds until `look` has something to do; undefined if nothing waits for it. */
  nextLookInMs(): number | undefined {
    const retries = [...this.#failed.keys()].map((key) => this.#retries.inMs(key))
    const times = [this.#deps.questions.nextLookInMs(), ...retries].filter((ms) => ms !== undefined)
    return times.length > 0 ? Math.min(...times) : undefined
  }

  /**
   * Looks for answers, and withdraws what they settle and what could not be withdrawn before.
   * @param follow gets each withdrawal: a receiver that does not respond must not delay the caller
   */
  async look(follow: (work: Promise<void>) => void): Promise<void> {
    const now = this.#deps.now()
    const left = this.#takeLeft()
    for (const shown of this.#shown.list()) {
      if (now - shown.at > FORGET_AFTER_MS) await this.#shown.remove(shown)
    }
    for (const [key, since] of this.#failed) {
      if (this.#retries.inMs(key) > 0) continue
      const shown = this.#shown.list().find((one) => keyOf(one) === key)
      if (!shown || now - since > RETRY_FOR_MS) this.#failed.delete(key)
      else {
        this.#retries.setNext(key, now - since)
        follow(this.#takeBack(shown))
      }
    }
    for (const ref of [...left, ...(await this.#deps.questions.look())]) follow(this.review(ref))
  }

  /** At first: what an earlier worker has left, which may have ended before it withdrew what was answered. */
  #takeLeft(): readonly Shown[] {
    if (this.#hasBegun) return []
    this.#hasBegun = true
    return this.#shown.list().filter((one) => !this.#failed.has(keyOf(one)))
  }

  /** Takes the session's shown message if the delivery may replace it: a short-lived one must not hide a question. */
  #takePlace(delivery: Delivery) {
    const { urgency, events, message } = delivery
    const known = this.#deps.memory.current?.session(message)
    const shown = this.#shown.latest(delivery)
    if (!shown) return undefined
    const isItself = events.includes(shown.event)
    if (urgency !== 'critical' && !isItself && !(known && isNoLongerTrue(known, shown)))
      return undefined
    const claim = this.#shown.take(shown)
    if (!claim) return undefined
    const isOwn = (one: Asked) =>
      events.includes(one.id) || delivery.questions?.some((own) => isSameQuestion(own, one, known))
    const open = shown.questions.filter((one) => !isOwn(one) && !(known && isAnswered(known, one)))
    return { shown, claim, open }
  }

  async #session(ref: SessionRef): Promise<Session | undefined> {
    return (await this.#deps.memory.get()).session(ref)
  }

  /** A message that waits for a person is outdated once that person has written, however long its destination was down. */
  async #whyOutdated({ kind, events, message, acceptedAt: at, isUnconditional }: Delivery) {
    const [id = '', ...others] = events
    const isWaiting = kind === 'waiting' || staysShown(message)
    if (!isWaiting || isUnconditional || others.length > 0) return undefined
    return isOutdated(await this.#session(message), { id, at, kind }) ? WENT_ON_BEFORE : undefined
  }

  /** Removes the answered questions from the text of a message that is not over. */
  async #shorten(shown: Shown, session: Session) {
    const { told, questions, left = [] } = shown
    const answered = questions.filter((one) => isAnswered(session, one)).map(({ id }) => id)
    if (!told || answered.length === left.length) return
    const { config, now } = this.#deps
    const isSaved = await this.#shown.change(shown, async () => {
      const message = withoutAnswered(told, questions, answered)
      const result = await update(shown, message, config(), now())
      // If that failed, the next event of the session tries again.
      return result.isDone ? { ...shown, handle: result.answer, left: answered } : shown
    })
    // The next answer may have come meanwhile. Not if it could not be saved, or this would repeat forever.
    if (isSaved) await this.review(shown)
  }

  async #takeBack(shown: Shown) {
    const { forms, journal, memory, config, now } = this.#deps
    let reason: string | undefined
    await this.#shown.change(shown, async () => {
      const ending = forms?.ending(shown, await memory.get())
      const result = await withdraw(shown, config(), ending)
      const isFailed = !result.isDone && result.mayWork
      this.#noteWithdrawal(shown, isFailed)
      if (result.isDone) reason = result.answer
      return isFailed ? shown : undefined
    })
    const { event: id, channel } = shown
    if (reason !== undefined) {
      await journal.append({ at: now(), id, type: 'withdrawn', channel, reason })
    }
  }

  #noteWithdrawal(shown: Shown, isFailed: boolean) {
    const key = keyOf(shown)
    if (!isFailed) this.#failed.delete(key)
    if (!isFailed || this.#failed.has(key)) return
    this.#failed.set(key, this.#deps.now())
    this.#retries.setNext(key, 0)
  }
}

/** A question that is asked again, such as by a reminder, is not listed beside itself. */
function isSameQuestion(one: Asked, other: Asked, session: Session | undefined): boolean {
  const callOf = ({ id }: Asked) => session?.questions.find((known) => known.id === id)?.toolUseId
  const [call, ofOther] = [callOf(one), callOf(other)]
  return call && ofOther ? call === ofOther : session !== undefined && one.text === other.text
}

function isOf(one: SessionRef, { client, sessionId }: SessionRef): boolean {
  return one.client === client && one.sessionId === sessionId
}

function keyOf({ channel, handle }: Shown): string {
  return `${channel} ${handle}`
}

/** Whether a shown message is answered or outdated. */
function isNoLongerTrue(session: Session, shown: Shown): boolean {
  const { questions, tellsMore = questions.length === 0 } = shown
  return (
    questions.every((one) => isAnswered(session, one)) &&
    (!tellsMore || isSuperseded(session, shown))
  )
}

/**
 * A failure or the end of a turn is outdated once the session goes on after the last event that was known when it was
 * sent.
 */
function isSuperseded(
  session: Session,
  { at, knownAt = at, channel, asks = false }: Shown,
): boolean {
  const { promptAt, ownTurnAt, turnEnd, answeredAt, isHeadless } = session
  const endedAt = turnEnd?.at ?? 0
  // The client took a turn of its own, whose end does not replace this message: it still shows the session's state.
  const isOwnTurn = ownTurnAt > Math.max(at, promptAt)
  const isReplaced = turnEnd !== undefined && replaces(turnEnd, { channel, asks })
  const isAside = isOwnTurn && endedAt > at && !isReplaced
  const since = isAside ? endedAt : at
  const graceMs = isHeadless === false ? 0 : ONE_SHOT_MS
  return (
    Math.max(promptAt, isAside ? 0 : endedAt) > Math.max(at, knownAt) ||
    answeredAt > Math.max(since + graceMs, knownAt)
  )
}
