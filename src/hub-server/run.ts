import type { LoadedConfig } from '../config/load/load.ts'
import { configDir } from '../config/paths.ts'
import { howToSetIn } from '../config/secrets/how-to-set.ts'
import { dropOldest } from '../drop-oldest.ts'
import { HookbellError } from '../errors.ts'
import { type HubServer, RedisConnection } from '../hub/connection.ts'
import { explainFailure } from '../hub/explain.ts'
import { whyUnsafe } from '../hub/settings.ts'
import type { Received } from './accept.ts'
import { keepAnswer } from './answers.ts'
import { loadBullmq, openShared } from './bullmq.ts'
import { HubQueues, type HubQueuesDeps } from './destination-queue.ts'
import { hubQueues } from './destinations.ts'
import { closeQuestions, noteQuestions } from './open-questions.ts'
import { checkRedis, checkRestart, HubClock, MemoryGuard } from './redis.ts'
import { MAX_REPLY_BYTES, Router } from './router.ts'
import type { SendResult } from './send-job.ts'
import { type OnWithdrawn, withdrawAnswered } from './shown.ts'

/** One line of JSON that a hub prints, without the text of messages. */
export type HubLine = Record<string, string | number>

/** The same problem is printed at most once in this time. */
const SAME_PROBLEM_MS = 60_000
const MAX_PROBLEMS = 100

type OnLine = (line: HubLine) => void

/**
 * Starts a hub. Its `stop` finishes what is under way. If the start fails, everything that it opened is closed.
 * @throws HookbellError
 */
export async function startHub(loaded: LoadedConfig, onLine: OnLine) {
  const closers: Closer[] = []
  let hasEnded = false
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close()
    hasEnded = true
  }
  // After the end, a connection that breaks is not worth a message.
  const say: OnLine = (line) => hasEnded || onLine(line)
  try {
    return { ...(await openHub(loaded, say, closers)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Ends a part of a hub. Never throws. */
type Closer = () => unknown

/** @param closers gets one for each part that is opened */
async function openHub(loaded: LoadedConfig, onLine: OnLine, closers: Closer[]) {
  const connection = connectionOf(loaded)
  const bullmq = loadBullmq()
  const redis = new RedisConnection(connection, { maxReplyBytes: MAX_REPLY_BYTES })
  closers.push(() => redis.close())
  const warnings = [
    ...withoutEffect(loaded),
    ...(await checkRedis(redis)),
    ...(await checkRestart(redis).catch(cannotWork)),
  ]
  for (const warning of warnings) onLine({ state: 'warning', text: warning })
  const clock = new HubClock(redis)
  closers.push(() => clock.stop())
  await clock.start().catch(cannotWork)
  const memory = new MemoryGuard(redis)
  await memory.check().catch(cannotWork)
  const report = reportTo(onLine, clock)
  const { shared, close } = openShared(connection, report.onProblem)
  closers.push(close)
  const deps = { bullmq, connection: shared, redis, loaded, now: clock.now, ...report }
  const queues = new HubQueues(await hubQueues(loaded, redis).catch(cannotWork), deps)
  closers.push(() => queues.close())
  await queues.start().catch(cannotWork)
  const router = makeRouter(memory, queues, deps)
  const routing = router.run()
  closers.push(() => {
    router.stop()
    return routing
  })
  /** `open` is for showing its status. */
  return { channels: queues.channels, open: { redis, queues: queues.all } }
}

/** Warnings for rules that have no effect here: each machine applies them itself, by its own clock. */
function withoutEffect({ config }: LoadedConfig): string[] {
  return config.noise.quietHours.length > 0
    ? ['quietHours has no effect at a hub: set it in the config.json of each machine']
    : []
}

type HubDeps = HubQueuesDeps & Pick<ReturnType<typeof reportTo>, 'onRefused'>

function makeRouter(memory: MemoryGuard, queues: HubQueues, deps: HubDeps): Router {
  const { redis, now, onProblem, onRefused } = deps
  return new Router({
    ...{ redis, memory, now, onProblem, onRefused },
    async noteAnswer(received) {
      await keepAnswer(received, redis)
      await closeQuestions(received, redis)
      // Not awaited: a destination that does not answer must not delay the others.
      void withdrawAnswered(received, deps).catch(onProblem)
    },
    async enqueue(records, receivedAt, listedMs) {
      await noteQuestions(records, receivedAt, redis)
      await queues.add(records, receivedAt, listedMs)
    },
  })
}

function reportTo(onLine: OnLine, clock: HubClock) {
  const onWithdrawn: OnWithdrawn = ({ id, channel }, answer) =>
    onLine({ at: Date.now(), id, channel, state: 'withdrawn', answer })
  return {
    onWithdrawn,
    onProblem: problemsTo(onLine),
    onRefused: (reason: string) => onLine({ at: Date.now(), state: 'refused', reason }),
    onSent: ({ record, receivedAt }: Received, result: SendResult) => {
      const { id, host, channel } = record
      const waitedMs = Math.max(0, Math.round(clock.now() - receivedAt))
      onLine({
        at: Date.now(),
        id,
        host,
        channel,
        state: result.type,
        waitedMs,
        ...detailOf(result),
      })
    },
  }
}

/** Without Redis, each connection of each queue has the same problem several times a second. */
function problemsTo(onLine: OnLine) {
  const reportedAt = new Map<string, number>()
  return (error: unknown) => {
    const text = `Redis: ${explainFailure(error)}`
    const now = performance.now()
    if (now - (reportedAt.get(text) ?? Number.NEGATIVE_INFINITY) < SAME_PROBLEM_MS) return
    reportedAt.delete(text)
    reportedAt.set(text, now)
    dropOldest(reportedAt, MAX_PROBLEMS)
    onLine({ at: Date.now(), state: 'problem', text })
  }
}

function cannotWork(cause: unknown): never {
  throw new HookbellError('E_UNAVAILABLE', `hub: ${explainFailure(cause)}`, {
    hint: 'If it is full, raise maxmemory once: a hub that runs keeps room for itself',
    cause,
  })
}

/** @throws HookbellError if the configuration cannot be used for a hub */
export function connectionOf({ config, hubProblem, problem, unset }: LoadedConfig): HubServer {
  if (problem) throw problem
  const cannotUse = (what: string, reason: string) => {
    const hint = howToSetIn(reason, unset, configDir(), {})
    return new HookbellError('E_CONFIG', `hub: ${what}${reason}`, { hint })
  }
  if (hubProblem) throw cannotUse('', hubProblem)
  if (!config.hub) {
    throw new HookbellError('E_CONFIG', 'hub: config.json has no "hub"', {
      hint: 'Such as "hub": { "url": "rediss://hub@localhost:6380", "password": "${HUB_PASSWORD}" }; see docs/hub.md',
    })
  }
  for (const [name, { why }] of Object.entries(config.channels))
    if (why !== undefined) throw cannotUse(`channel ${name}: `, why)
  const unsafe = whyUnsafe(config.hub)
  if (unsafe) throw new HookbellError('E_CONFIG', `hub: url ${unsafe}`)
  return { ...config.hub, extraCaFile: config.extraCaFile }
}

const DETAILS = ['attempt', 'ms', 'answer', 'reason']

/** The details that an outcome of its type has. */
function detailOf(result: SendResult): HubLine {
  return Object.fromEntries(Object.entries(result).filter(([name]) => DETAILS.includes(name)))
}
