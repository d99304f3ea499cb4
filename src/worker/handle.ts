import { renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type EnrichedEvent, enrich } from '../context/enrich.ts'
import { describeError } from '../errors.ts'
import { parseEvent } from '../event/parse.ts'
import { Renderer } from '../render/render.ts'
import { type Decision, route, routeTo } from '../route/route.ts'
import type { Claim } from '../spool/claim.ts'
import { isOfLaterVersion, parseSpoolFile } from '../spool/header.ts'
import { readSpoolFile } from '../spool/read.ts'
import { attemptDelivery, type Result } from './attempt.ts'
import type { WorkerContext } from './context.ts'
import { type EventState, readEventState, statePath, writeEventState } from './event-state.ts'

/** An event that was there when this many workers ended is set aside. */
const MAX_CRASHES = 3

type Stored = NonNullable<ReturnType<typeof parseSpoolFile>> & { at: number }

/** Takes one claimed event through parse, route, render and deliver, and files it where it then belongs. */
export async function handleEvent(claim: Claim, context: WorkerContext): Promise<void> {
  const stored = openClaim(claim, context)
  if (!stored) return
  if (claim.crashes >= MAX_CRASHES) {
    return bury(claim, `the worker ended ${claim.crashes} times while it had this event`, context)
  }
  const loaded = context.config.get()
  let event: EnrichedEvent
  try {
    const parsed = parseEvent({ ...stored, id: claim.id }, loaded.config.abnormalReasons)
    event = await enrich(parsed, context.projects)
  } catch (error) {
    return bury(claim, describeError(error), context)
  }
  const before = stateOf(claim, context)
  const renderer = new Renderer(context.templates, event, loaded.secrets)
  if (!before) await recordAccepted(event, renderer, context)
  const { channel } = stored.header
  const decision = decide(before, channel ? routeTo(channel, event) : route(event, loaded.config))
  if ('suppress' in decision) {
    await context.record({
      ...stamp(claim, context),
      type: 'suppressed',
      reason: decision.suppress,
    })
    return file(claim, 'done', context)
  }
  const state: EventState = { acceptedAt: stored.at, channels: {}, ...before, nextAt: 0 }
  await Promise.all(
    decision.deliver.map(async ({ channel, urgency }) => {
      const delivery = {
        channel,
        attempts: state.channels[channel]?.attempts ?? 0,
        acceptedAt: state.acceptedAt,
        sessionEnv: event.env,
        message: ({ markup }: { markup?: 'slack' | 'html' }) => renderer.message(urgency, markup),
      }
      const result = await attemptDelivery(delivery, loaded, context)
      await context.record({ ...stamp(claim, context), channel, ...result })
      take(state, channel, result)
    }),
  )
  settle(claim, state, context)
}

/** What was begun is finished: once a channel was chosen, a change of the routes does not take it back. */
function decide(before: EventState | undefined, decision: Decision): Decision {
  if (!before || Object.keys(before.channels).length === 0) return decision
  const chosen = 'deliver' in decision ? decision.deliver : []
  const open = Object.entries(before.channels).filter(([, { state }]) => state === 'deferred')
  const fresh = chosen.filter(({ channel }) => !before.channels[channel])
  return {
    deliver: [
      ...open.map(([channel]) => chosen.find((one) => one.channel === channel) ?? normal(channel)),
      ...fresh,
    ],
  }
}

function normal(channel: string) {
  return { channel, urgency: 'normal' as const }
}

/** @returns undefined when the file is not ours; it is set aside then */
function openClaim(claim: Claim, context: WorkerContext): Stored | undefined {
  const file = readSpoolFile(claim.path)
  const stored = 'bytes' in file && claim.id ? parseSpoolFile(file.bytes) : undefined
  if (stored && 'writtenAt' in file) return { ...stored, at: file.writtenAt }
  if ('bytes' in file && isOfLaterVersion(file.bytes)) {
    context.leftAlone.add(basename(claim.path))
    renameSync(claim.path, join(context.spool.new, basename(claim.path)))
    return undefined
  }
  renameSync(claim.path, join(context.spool.corrupt, `${context.now()}-${basename(claim.path)}`))
  return undefined
}

function stateOf({ id, crashes }: Claim, { spool, recovered }: WorkerContext) {
  return (crashes > 0 ? recovered.get(id) : undefined) ?? readEventState(spool.deferred, id)
}

async function recordAccepted(event: EnrichedEvent, renderer: Renderer, context: WorkerContext) {
  const { id, at, name, kind, client, project } = event
  const { sessionId } = renderer.message('normal', undefined)
  const problems = [...event.problems, ...renderer.problems]
  await context.record({
    at: context.now(),
    id,
    type: 'accepted',
    acceptedAt: at,
    event: name,
    kind,
    client,
    sessionId,
    project,
    title: renderer.title,
    ...(problems.length > 0 ? { problems } : {}),
  })
}

function take(state: EventState, channel: string, result: Result) {
  state.channels[channel] = { state: result.type, attempts: result.attempt }
  if (result.type === 'deferred') {
    state.nextAt = state.nextAt === 0 ? result.until : Math.min(state.nextAt, result.until)
  }
}

function settle(claim: Claim, state: EventState, context: WorkerContext) {
  const states = Object.values(state.channels).map(({ state }) => state)
  if (states.includes('deferred')) {
    writeEventState(context.spool, 'deferred', claim.id, state)
    renameSync(claim.path, join(context.spool.deferred, claim.id))
    context.deferred.set(claim.id, state.nextAt)
    return
  }
  const folder = states.includes('gave-up') ? 'dead' : 'done'
  if (folder === 'dead') writeEventState(context.spool, 'dead', claim.id, state)
  file(claim, folder, context)
}

async function bury(claim: Claim, reason: string, context: WorkerContext) {
  await context.record({ ...stamp(claim, context), type: 'unusable', reason })
  file(claim, 'dead', context)
}

/** The journal has it on disk by now: this rename may be lost without harm. */
function file(claim: Claim, folder: 'done' | 'dead', { spool }: WorkerContext) {
  renameSync(claim.path, join(spool[folder], claim.id))
  rmSync(statePath(spool.deferred, claim.id), { force: true })
}

function stamp({ id }: Claim, { now }: WorkerContext) {
  return { at: now(), id }
}
