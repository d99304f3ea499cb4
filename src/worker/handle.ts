import { basename, dirname } from 'node:path'
import type { LoadedConfig } from '../config/load.ts'
import { type EnrichedEvent, enrich } from '../context/enrich.ts'
import { HookbellError } from '../errors.ts'
import type { AgentEvent } from '../event/event.ts'
import { parseEvent } from '../event/parse.ts'
import { Renderer } from '../render/render.ts'
import { type Decision, route, routeTo } from '../route/route.ts'
import type { Claim } from '../spool/claim.ts'
import { isOfLaterVersion, parseSpoolFile } from '../spool/header.ts'
import { setAside } from '../spool/names.ts'
import { readSpoolFile } from '../spool/read.ts'
import { attemptDelivery } from './attempt.ts'
import type { WorkerContext } from './context.ts'
import { type Print, printOf } from './doubles.ts'
import { type EventState, readEventState, statesFromJournal } from './event-state.ts'
import { bury, file, settle } from './filing.ts'
import { inTurn, type Turn } from './turns.ts'

/** An event that was there when this many workers ended is set aside. */
const MAX_CRASHES = 3

type Stored = NonNullable<ReturnType<typeof parseSpoolFile>> & { at: number }

/** Takes one claimed event through parse, route, render and deliver, and files it where it then belongs. */
export async function handleEvent(claim: Claim, context: WorkerContext): Promise<void> {
  const stored = openClaim(claim, context)
  if (!stored) return
  const before = await stateBefore(claim, context)
  const { client } = stored.header
  if (claim.crashes >= MAX_CRASHES) {
    const reason = `the worker ended ${claim.crashes} times while it had this event`
    return bury(claim, { reason, before, client }, context)
  }
  const loaded = context.config.get()
  let parsed: AgentEvent
  try {
    parsed = parseEvent({ ...stored, id: claim.id }, loaded.config.abnormalReasons)
  } catch (error) {
    if (!(error instanceof HookbellError)) throw error
    return bury(claim, { reason: error.message, before, client }, context)
  }
  const line = lineOf(parsed)
  const prepared = await inTurn(context.turns.take(line), async () => {
    const event = await enrich(parsed, context)
    const renderer = new Renderer(context.templates, event, loaded.secrets)
    const { channel } = stored.header
    const routed = channel ? routeTo(channel, event) : route(event, loaded.config)
    const print = printOf(stored, parsed)
    const decision = isBegun(before)
      ? finish(before, routed)
      : await context.doubles.judge(routed, print)
    const chosen = 'deliver' in decision ? decision.deliver : []
    // While the next event of the session waits: its places are behind these.
    const take = ({ channel }: { channel: string }) => context.turns.take(`${line} ${channel}`)
    const turns = new Map(chosen.map((one) => [one.channel, take(one)]))
    return { event, renderer, decision, print, turns }
  })
  try {
    await carryOut(claim, { ...prepared, stored, before, loaded }, context)
  } finally {
    for (const turn of prepared.turns.values()) turn.end()
  }
}

interface Prepared {
  stored: Stored
  before: EventState | undefined
  loaded: LoadedConfig
  event: EnrichedEvent
  renderer: Renderer
  decision: Decision
  print: Print | undefined
  /** A place per channel, behind the earlier events of the session. */
  turns: ReadonlyMap<string, Turn>
}

async function carryOut(claim: Claim, prepared: Prepared, context: WorkerContext) {
  const { stored, before, loaded, event, renderer, decision, turns } = prepared
  if (!before) await recordAccepted(prepared, context)
  const state: EventState = { acceptedAt: stored.at, channels: {}, ...before, nextAt: 0 }
  context.known.set(claim.id, state)
  if ('suppress' in decision) {
    await context.record({
      ...stamp(claim, context),
      type: 'suppressed',
      reason: decision.suppress,
    })
    return file(claim, 'done', context)
  }
  const results = await Promise.all(
    decision.deliver.map(async ({ channel, urgency }) => {
      const turn = turns.get(channel) ?? context.turns.take(claim.id)
      const delivery = {
        channel,
        attempts: state.channels[channel]?.attempts ?? 0,
        acceptedAt: state.acceptedAt,
        sessionEnv: event.env,
        message: ({ markup }: { markup?: 'slack' | 'html' }) => renderer.message(urgency, markup),
        passTurn: () => turn.end(),
      }
      const result = await inTurn(turn, () => attemptDelivery(delivery, loaded, context))
      // Before it is recorded: where that fails, what was sent is not sent again.
      state.channels[channel] = { state: result.type, attempts: result.attempt }
      const { queuedIn: _, ...entry } = { queuedIn: undefined, ...result }
      await context.record({ ...stamp(claim, context), channel, ...entry })
      return result
    }),
  )
  await context.flushRecords()
  settle(claim, state, results, context)
}

/** Events without a session have nothing to do with each other. */
function lineOf({ client, sessionId, id }: AgentEvent): string {
  return sessionId ? `${client} ${sessionId}` : id
}

/** Where a power cut took the note beside a deferred event, the journal knows. */
async function stateBefore({ id, from }: Claim, { known, spool }: WorkerContext) {
  if (known.has(id) || dirname(from) !== spool.deferred) return known.get(id)
  return readEventState(spool.deferred, id) ?? (await statesFromJournal(spool.state, [id])).get(id)
}

function isBegun(before: EventState | undefined): before is EventState {
  return before !== undefined && Object.keys(before.channels).length > 0
}

/** Once a channel was chosen, a change of the routes does not take it back. */
function finish(before: EventState, decision: Decision): Decision {
  const chosen = 'deliver' in decision ? decision.deliver : []
  const open = Object.entries(before.channels).filter(([, { state }]) => state === 'deferred')
  return {
    deliver: open.map(
      ([channel]) => chosen.find((one) => one.channel === channel) ?? normal(channel),
    ),
  }
}

function normal(channel: string) {
  return { channel, urgency: 'normal' as const }
}

/** @returns undefined when the file is not ours; it is set aside then */
function openClaim(claim: Claim, context: WorkerContext): Stored | undefined {
  const { spool, claims, leftAlone, now } = context
  const file = readSpoolFile(claim.path)
  const stored = 'bytes' in file && claim.id ? parseSpoolFile(file.bytes) : undefined
  if (stored && 'writtenAt' in file) return { ...stored, at: file.writtenAt }
  const name = basename(claim.path)
  if ('bytes' in file && isOfLaterVersion(file.bytes)) {
    leftAlone.add(name)
    claims.putBack(claim)
  } else setAside(claim.path, name, spool, now())
  return undefined
}

async function recordAccepted(
  { event, renderer, decision, print }: Prepared,
  context: WorkerContext,
) {
  const { id, at, name, kind, client, project, sessionId } = event
  const problems = [...event.problems, ...renderer.problems]
  const to = 'deliver' in decision ? decision.deliver.map(({ channel }) => channel) : []
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
    ...(to.length > 0 ? { to } : {}),
    ...(problems.length > 0 ? { problems } : {}),
    ...(print && { print: print.hash }),
    ...(print?.shared && { shared: true }),
    ...('double' in decision && { double: decision.double }),
  })
}

function stamp({ id }: Claim, { now }: WorkerContext) {
  return { at: now(), id }
}
