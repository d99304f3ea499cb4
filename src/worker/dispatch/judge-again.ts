import type { LoadedConfig } from '../../config/load/load.ts'
import type { Config } from '../../config/schema/schema.ts'
import type { Hold } from '../../deliver/attempt.ts'
import { disturbsSomebody } from '../../deliver/audience.ts'
import type { EarlierMessages, MessageLife } from '../../deliver/message-life.ts'
import type { Delivery } from '../../delivery.ts'
import { OWN_CLIENT } from '../../journal/entry.ts'
import type { Postponed } from '../../policy/held.ts'
import { describeMute, findMute, type Mute } from '../../policy/mutes.ts'
import { MAX_QUIET_MS } from '../../policy/rules/quiet-hours.ts'
import { judgeDue, noiseOf, settingsOf } from '../../prepare/decide.ts'
import { groupOf } from '../../prepare/prepare.ts'
import type { Open } from '../../spool/card.ts'
import type { DeliveryClaim } from '../../spool/cards.ts'
import type { WorkerDeps } from '../deps.ts'

interface RuleDeps {
  config(): LoadedConfig
  /** The mutes in force. */
  mutes(): readonly Mute[]
  projectOf(cwd: string): Promise<string>
  now(): number
}

/** An open delivery that this worker has claimed. */
export interface Due extends Open {
  claim: DeliveryClaim
}

/**
 * Judges held deliveries once more, since they may have been answered or muted meanwhile, or nothing will follow any more,
 * and since they may be due only now, in quiet hours, because the machine slept.
 * @returns those to send; and `settled`, which resolves when the others are recorded: a full disk must delay only them
 */
export async function judgeAgain(all: readonly Due[], deps: WorkerDeps) {
  const current = deps.config.get().config
  const kept: Due[] = []
  const others: Promise<void>[] = []
  for (const each of all) {
    const one = releasedFromQuiet(each, current, deps.now())
    const review = await reviewOf(one, current, deps)
    // Taken afterwards: what is due at once is due at the time of the review.
    const now = deps.now()
    if (typeof review === 'string') {
      others.push(drop(one, review, deps))
      continue
    }
    const isDue =
      review !== undefined &&
      review.until <= now &&
      !quietHold(one.delivery, { config: current }, now)
    const due = isDue ? await dueAtOnce(one, review.reason, deps) : one
    const hold = await holdAgain(due, review, current, deps)
    if (hold) others.push(recordHold(due, hold, deps))
    else kept.push(due)
  }
  const settled = Promise.all(others).then(() => {})
  // Awaited later: a failure before that must not count as unhandled.
  settled.catch(() => {})
  return { kept, settled }
}

/** What the rules say now of a held delivery. */
async function reviewOf(one: Due, config: Config, deps: WorkerDeps) {
  const { delivery, expects, earliest } = one
  const { events, channel, acceptedAt: at, kind, message, notBefore: until } = delivery
  const [id = ''] = events
  const settings = settingsOf(config, deps)
  const known = async (cwd: string) => one.project ?? (await deps.projectOf(cwd))
  const origin = await originOf(delivery, known)
  const { client, asks } = message
  const isRecord = !disturbsSomebody(channel, config)
  const isStep = earliest !== undefined
  const held = { ...origin, id, client, at, kind, channel, isRecord, asks, until, expects, isStep }
  // A mute may end before the delivery is due.
  const mutes = isBeforeItsTime(one, settings.now) ? [] : settings.mutes
  const memory = await deps.memory.get()
  return memory.review(held, { ...settings, mutes })
}

async function dueAtOnce(one: Due, reason: string, { journal, now }: WorkerDeps): Promise<Due> {
  const { delivery } = one
  const { events, channel } = delivery
  const until = now()
  const entry = { at: until, type: 'held', channel, until, reason } as const
  await Promise.all(events.map((id) => journal.append({ ...entry, id })))
  return { ...one, delivery: { ...delivery, notBefore: until } }
}

/** Whether a held delivery is reviewed before it is due. */
export function isBeforeItsTime({ state, since, delivery }: Open, now: number) {
  return state === 'held' && since <= now && now < delivery.notBefore
}

async function drop({ claim, delivery }: Due, reason: string, { store, journal, now }: WorkerDeps) {
  const { events, channel } = delivery
  const at = now()
  await Promise.all(
    events.map((id) => journal.append({ at, id, type: 'suppressed', channel, reason })),
  )
  await store.finishDelivery(claim)
}

/**
 * Holds a delivery that is due in quiet hours until these end, and one that is due while the agent is at work again. One that
 * quiet hours hold already is held anew if their end has changed.
 * @returns undefined if it is to be sent, or is held as before
 */
async function holdAgain(
  one: Due,
  review: Postponed | undefined,
  config: Config,
  { store, now }: WorkerDeps,
): Promise<Hold | undefined> {
  const { delivery, expects, earliest, project } = one
  const at = now()
  const isEarly = isBeforeItsTime(one, at)
  const postponed = review !== undefined && review.until > at ? review : undefined
  const hold: Hold | undefined = isEarly
    ? quietHoldAnew(one, config, at)
    : (quietHold(delivery, { config }, at) ?? postponed)
  if (!hold) return undefined
  try {
    const { reason, group, dueOtherwise } = hold
    const why = { state: 'held', reason, group, expects, earliest, dueOtherwise, project } as const
    await store.keep({
      ...why,
      delivery: heldUntil(delivery, hold, isEarly ? delivery.notBefore : at),
    })
    return hold
  } catch {
    // The disk is full: it is sent too early rather than never, as when it is first held.
    return undefined
  }
}

/** A delivery that quiet hours have held and would not hold now is due now. */
function releasedFromQuiet(one: Due, config: Config, now: number): Due {
  const { delivery, dueOtherwise = Number.POSITIVE_INFINITY } = one
  if (dueOtherwise > now || quietHold(delivery, { config }, now)) return one
  return { ...one, delivery: { ...delivery, notBefore: Math.min(delivery.notBefore, now) } }
}

/** The new hold of a delivery that quiet hours hold, if their end has changed; else undefined. */
function quietHoldAnew({ delivery, dueOtherwise, group }: Due, config: Config, now: number) {
  if (dueOtherwise === undefined) return undefined
  const moment = Math.max(now, dueOtherwise)
  const reason = 'its time is no longer in quiet hours'
  const hold: Hold = quietHold(delivery, { config }, moment) ?? {
    ...{ until: moment, reason },
    ...(group !== undefined && { group }),
  }
  return hold.until === delivery.notBefore ? undefined : { ...hold, dueOtherwise }
}

async function recordHold(
  { claim, delivery: { events, channel } }: Due,
  { dueOtherwise: _, ...hold }: Hold,
  { store, journal, now }: WorkerDeps,
) {
  const entry = { at: now(), type: 'held', channel, ...hold } as const
  await Promise.all(events.map((id) => journal.append({ ...entry, id })))
  await store.finishDelivery(claim)
}

/**
 * Applies mutes and quiet hours before each attempt too: a message may have waited for its destination for hours,
 * queued or between two attempts.
 */
export function withRules(life: EarlierMessages, deps: RuleDeps): MessageLife {
  return {
    whyOver: async (delivery) => {
      const muted = await whyMuted(delivery, deps)
      if (muted !== undefined || getsEverything(delivery, deps.config())) return muted
      return await life.whyOver(delivery)
    },
    whyLater: (delivery) =>
      delivery.isUnconditional ? undefined : quietHold(delivery, deps.config(), deps.now()),
    begin: (delivery, destination) => life.begin(delivery, destination),
  }
}

/**
 * Whether its channel opted out of the rules. A later step (only these expire) still depends on what happened since.
 */
function getsEverything({ channel, expires }: Delivery, { config }: Pick<LoadedConfig, 'config'>) {
  return expires === 0 && !noiseOf(channel, config).hasNoiseRules
}

/** How quiet hours hold a delivery that is due now; undefined if it may be sent. */
function quietHold(
  delivery: Delivery,
  { config }: Pick<LoadedConfig, 'config'>,
  now: number,
): Hold | undefined {
  const { channel, message, acceptedAt, expires } = delivery
  const isOver = now - acceptedAt >= MAX_QUIET_MS || (expires > 0 && now > expires)
  // hookbell's own message, the digest, comes at the time that a person has set.
  const isOwn = message.client === OWN_CLIENT
  if (isOver || isOwn) return undefined
  const verdict = judgeDue(delivery, config, now)
  if (verdict.type !== 'hold') return undefined
  const { until, reason, group, dueOtherwise } = verdict
  return { until, reason, dueOtherwise, ...groupOf(channel, group, config) }
}

/**
 * The held delivery. The time until its end counts neither towards its expiry nor towards the age at which to give up.
 * @param from when it would have been tried, Unix ms
 */
export function heldUntil(delivery: Delivery, { until }: Hold, from: number): Delivery {
  const { notBefore, expires, firstTriedAt } = delivery
  return {
    ...delivery,
    notBefore: until,
    expires: expires && until + (expires - notBefore),
    firstTriedAt: firstTriedAt && firstTriedAt + (until - from),
  }
}

/**
 * The properties by which a mute may name a delivery. A summary has no kind; one of several sessions has no session,
 * folder or project.
 */
async function originOf(
  { events, kind, questions = [], message: { sessionId, cwd } }: Delivery,
  projectOf: RuleDeps['projectOf'],
) {
  const isQuestion = kind === 'permission' || questions.length > 0
  const about = { sessionId, kind: events.length > 1 ? '' : kind, isQuestion }
  if (events.length > 1 && sessionId === '') return { ...about, cwd: '', project: '' }
  return { ...about, cwd, project: await projectOf(cwd).catch(() => '') }
}

async function whyMuted(delivery: Delivery, { config, mutes, projectOf, now }: RuleDeps) {
  const current = mutes()
  if (current.length === 0 || delivery.isUnconditional) return undefined
  if (!disturbsSomebody(delivery.channel, config().config)) return undefined
  const muted = findMute(current, await originOf(delivery, projectOf), now())
  return muted && describeMute(muted)
}
