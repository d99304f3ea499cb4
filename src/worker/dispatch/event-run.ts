import type { EnrichedEvent } from '../../context/enrich.ts'
import type { Delivery } from '../../delivery.ts'
import { HookbellError } from '../../errors.ts'
import { type AgentEvent, type Kind, kindOrName } from '../../event/event.ts'
import { isNextQuestion, meaningOf } from '../../event/meaning.ts'
import { parseEvent } from '../../event/parse.ts'
import { channelsOf, type EventStatus, isAccepted, isOpen } from '../../journal/history.ts'
import { waitAtMost } from '../../patience.ts'
import { answeredQuestions } from '../../policy/questions.ts'
import type { Stored } from '../../prepare/decide.ts'
import {
  type Prepared,
  prepare,
  prepareAgain,
  sessionHash,
  sessionOf,
} from '../../prepare/prepare.ts'
import type { Claim } from '../../spool/claim.ts'
import type { StoredEvent } from '../../spool/event-file.ts'
import { sha256 } from '../../text/sha256.ts'
import { PURGED } from '../control.ts'
import type { WorkerDeps } from '../deps.ts'
import { MAX_CRASHES } from './card-run.ts'
import { deliverAndSettle, isPurged, reviewSteps } from './settle.ts'

/** How long a review waits for deliveries: a failing destination must not keep an answered question on the screen. */
const PATIENCE_MS = 1000

/** Called once the event is prepared and all its deliveries are queued. */
type OnQueued = () => void

/** The work on an event whose deliveries are queued. */
interface Queued {
  /** For each delivery: false if it was released unattempted. */
  ended: Promise<boolean[]>
  others: Promise<unknown>
}

/** Handles one claimed event to the end: each of its deliveries is sent, kept or given up, and recorded. */
export async function runEvent(
  claim: Claim,
  deps: WorkerDeps,
  onQueued: OnQueued = () => {},
): Promise<void> {
  // Only promises stay in memory, not the event or its deliveries: many may wait for a destination that fails.
  const queued = await queueEvent(claim, deps)
  onQueued()
  if (!queued) return
  const [ended] = await Promise.all([queued.ended, queued.others])
  if (ended.every(Boolean)) deps.store.finish(claim)
  else deps.store.release(claim, true)
}

/** @returns undefined if nothing is left to do */
async function queueEvent(claim: Claim, deps: WorkerDeps): Promise<Queued | undefined> {
  const since = deps.now()
  const known = takeResumed(claim, deps)
  const before = known && isAccepted(known) ? known : undefined
  const stored = deps.store.readEvent(claim)
  if (!stored) return undefined
  const open = openChannels(before, deps)
  if (open?.length === 0) {
    await finishResumed(claim, before, deps)
    return undefined
  }
  if (isBlank(stored.body)) {
    await dropBlank(claim, deps)
    return undefined
  }
  const parsed = parseUsable(claim, stored, deps)
  if (typeof parsed === 'string') {
    await setAside(claim, parsed, stored, deps)
    return undefined
  }
  deps.lastSession.env = parsed.env
  if (parsed.kind === 'permission') deps.store.keepForAnswer(claim)
  const facts = storedFacts(stored, parsed, open)
  const running = await deps.sessions.runInOrder(sessionOf(parsed), async () => {
    const prepareDeps = { ...deps, memory: await deps.memory.get() }
    if (mayHideAnswers(parsed)) await deps.questions.lookAt(parsed)
    const anew = await prepare(parsed, facts, deps.config.last, prepareDeps)
    const left = known ? withoutSettled(anew, known) : anew
    const prepared = isPurged(since, deps)
      ? { ...left, deliveries: [], held: [], reason: PURGED }
      : left
    const early = prepared.held.length > 0 ? await keepHeld(prepared, deps) : []
    const deliveries = [...prepared.deliveries, ...early]
    // The session may have gone on when a text that was not kept is made again.
    const { durationMs, waitingMs = 0, cwd = '' } = prepared.entry.facts ?? {}
    const decided = { durationMs, waitingMs, cwd }
    // Deliveries are queued within the turn of the session, so that its next event is queued behind them.
    return { prepared, ended: deliveries.map((one) => start(one, decided, { claim, since }, deps)) }
  })
  const happened = asDecided(parsed, running.prepared)
  deps.turns.note(happened)
  deps.still.note(happened)
  // The event may answer a held question, or show that nothing follows a held turn: review it now, not when it is due.
  const { isAnswer, isIdle } = meaningOf(happened)
  if (isNextQuestion(happened) || isAnswer) noteAnswer(happened, deps)
  else if (happened.kind === 'waiting' && isIdle) deps.store.reviewHeld(sessionHash(happened))
  const ended = Promise.all(running.ended)
  const { client, sessionId } = parsed
  const recorded = [
    recordDecision(running.prepared, before, deps),
    deps.questions.record({ client, sessionId }),
  ]
  const reviewed = reviewAfter(ended, { client, sessionId }, deps)
  return { ended, others: Promise.all([...recorded, reviewed]) }
}

/**
 * Whether questions may have been answered before the event, which does not say when: their transcripts do. A turn that ends
 * tells how long it waited for that.
 */
function mayHideAnswers(event: AgentEvent): boolean {
  const { isAnswerToAll, isSubagent } = meaningOf(event)
  return isAnswerToAll || isSubagent || isNextQuestion(event)
}

/** @returns the event; or a string, the reason why it cannot be used */
function parseUsable(
  { id, crashes }: Claim,
  stored: StoredEvent,
  { config }: WorkerDeps,
): AgentEvent | string {
  if (crashes >= MAX_CRASHES) return `the worker ended ${crashes} times while it had this event`
  try {
    return parseEvent({ ...stored, id }, config.recent().config.abnormalReasons)
  } catch (error) {
    if (error instanceof HookbellError) return error.message
    throw error
  }
}

function storedFacts(
  { header, body, truncated }: StoredEvent,
  { client, sessionId }: AgentEvent,
  open: Stored['open'],
): Stored {
  return {
    open,
    fingerprint: fingerprintOf({ client, body, truncated }, sessionId),
    shared: header.shared === true,
    ...(header.client !== client && { via: header.client }),
  }
}

/** The event as its transcript and its session show it: a prompt of the client itself is nobody's answer. */
function asDecided(parsed: AgentEvent, { entry: { kind, facts } }: Prepared): AgentEvent {
  const means = facts?.means ?? parsed.means
  return { ...parsed, kind: kind as Kind, means: means as AgentEvent['means'] }
}

function noteAnswer(event: AgentEvent, { answers, memory, store }: WorkerDeps) {
  const session = sessionHash(event)
  store.reviewHeld(session)
  const known = memory.current?.session(event)
  const questions = known ? answeredQuestions(known) : []
  const { isAnswerToAll, leavesAgents } = meaningOf(event)
  answers.report({ session, at: event.at, isForAll: isAnswerToAll && !leavesAgents, questions })
}

/** Reviews the session's shown messages after its deliveries: replacing a message is better than withdrawing it. */
async function reviewAfter(
  ended: Promise<unknown>,
  session: Pick<AgentEvent, 'client' | 'sessionId'>,
  { open }: WorkerDeps,
) {
  await waitAtMost(PATIENCE_MS, ended)
  await open.review(session)
}

function start(
  delivery: Delivery,
  { cwd, ...lengths }: Pick<EnrichedEvent, 'durationMs' | 'waitingMs' | 'cwd'>,
  { claim, since }: { claim: Claim; since: number },
  deps: WorkerDeps,
): Promise<boolean> {
  const { store, config } = deps
  const { channel, urgency, kind, template, isUnconditional } = delivery
  const addressed = { channel, urgency, kind, template, isUnconditional }
  const load = async () => {
    const stored = store.readEvent(claim)
    if (!stored) throw new HookbellError('E_SPOOL', `${claim.id}: gone from the spool`)
    const parsed = parseEvent({ ...stored, id: claim.id }, config.recent().config.abnormalReasons)
    const again = { ...addressed, ...lengths }
    return await prepareAgain({ ...parsed, cwd }, again, config.recent(), deps)
  }
  return deliverAndSettle(delivery, load, deps, { since })
}

/** Keeps held deliveries, before they are recorded. @returns those that could not be kept, to be sent too early */
async function keepHeld({ held }: Prepared, { store }: WorkerDeps): Promise<Delivery[]> {
  const keeping = held.map(({ delivery, ...why }) =>
    store.keep({ ...why, state: 'held', delivery }).then(
      () => [],
      () => [delivery],
    ),
  )
  return (await Promise.all(keeping)).flat()
}

async function recordDecision(
  { entry, held, suppressed, reason }: Prepared,
  before: EventStatus | undefined,
  { journal, now }: WorkerDeps,
): Promise<void> {
  const [id, at] = [entry.id, now()]
  await Promise.all([
    ...(before ? [] : [journal.append(entry)]),
    ...held.map(({ delivery: { channel, notBefore: until }, reason: why, group }) =>
      journal.append({
        ...{ at, id, type: 'held', channel, until, reason: why },
        ...(group !== undefined && { group }),
      }),
    ),
    ...(reason === undefined
      ? suppressed.map(({ channel, reason: why }) =>
          journal.append({ at, id, type: 'suppressed', channel, reason: why }),
        )
      : [journal.append({ at, id, type: 'suppressed', reason })]),
  ])
}

function isBlank(body: Buffer): boolean {
  return body.every((byte) => byte <= 0x20)
}

/** Such as from a hook that a person runs by hand, or whose agent writes nothing in time. There is nothing to retry. */
async function dropBlank(claim: Claim, { journal, now, store }: WorkerDeps) {
  const { id } = claim
  await journal.append({ at: now(), id, type: 'suppressed', reason: 'nothing came on stdin' })
  store.finish(claim)
}

async function setAside(
  claim: Claim,
  reason: string,
  { header: { client } }: StoredEvent,
  { store, journal, now }: WorkerDeps,
) {
  await journal.append({ at: now(), id: claim.id, type: 'unusable', reason, client })
  store.moveToDead(claim)
}

/** The journal's status of an event that an earlier worker began; undefined if none recorded anything. */
function takeResumed({ id }: Claim, { resumed }: WorkerDeps): EventStatus | undefined {
  const status = resumed.get(id)
  // Read anew if the event is claimed again: by then the journal has more entries.
  resumed.delete(id)
  return status
}

/**
 * Leaves out the channels that have settled the event. An earlier worker may have recorded that a channel got it, but
 * not yet which channels were chosen.
 */
function withoutSettled(prepared: Prepared, known: EventStatus): Prepared {
  const isLeft = ({ channel }: { channel: string }) => isOpen(known, channel)
  return {
    ...prepared,
    deliveries: prepared.deliveries.filter(isLeft),
    held: prepared.held.filter(({ delivery }) => isLeft(delivery)),
    suppressed: prepared.suppressed.filter(isLeft),
  }
}

/** Channels that an earlier worker chose and did not settle; undefined if no worker began the event. */
function openChannels(
  before: EventStatus | undefined,
  { store }: WorkerDeps,
): string[] | undefined {
  if (!before) return undefined
  return channelsOf(before).filter(
    (channel) => isOpen(before, channel) && !store.isKept(before.id, channel),
  )
}

/** Finishes an event without open channels. A crash may have come before the reason for that was recorded. */
async function finishResumed(claim: Claim, before: EventStatus | undefined, deps: WorkerDeps) {
  if (before?.outcome === 'waiting' && before.to.length === 0) {
    const reasons = before.trace.filter(({ verdict }) => verdict === 'suppress')
    const reason =
      reasons.map(({ because }) => because).join('; ') ||
      `no route for ${kindOrName(before.kind, before.event)}`
    await deps.journal.append({ at: deps.now(), id: claim.id, type: 'suppressed', reason })
  }
  // The crash may also have come before the alarm was raised.
  if (before) await deps.alarms.check(before)
  if (before) await reviewSteps({ kind: before.kind, events: [claim.id] }, deps)
  deps.store.finish(claim)
}

/** A hash that is the same for two hooks of one event; undefined if the event cannot be told from others. */
export function fingerprintOf(
  { client, body, truncated }: { client: string; body: Buffer; truncated: boolean },
  sessionId: string,
): string | undefined {
  if (!sessionId || truncated) return undefined
  // One hook may have read the line break at the end, the other may not have waited for it.
  const text = body.toString('latin1').trim()
  return sha256(Buffer.from(`${client}\n${text}`, 'latin1')).slice(0, 24)
}
