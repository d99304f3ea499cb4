import { HELD, INBOX, TAKEN } from '../hub/keys.ts'
import type { HubJob } from './accept.ts'
import { type Ended, type Failure, historyOf } from './history.ts'
import { FIND } from './scripts.ts'
import type { OpenHub } from './status.ts'

/** How many records of each list are searched. Redis does nothing else meanwhile: about 0.2 s for that many. */
const MAX_LISTED = 100_000

/** What became of a message. Times are Unix ms of the hub. */
export interface Whereabouts {
  id: string
  /** `listed`: no hub has taken it in yet. `unknown`: not there, refused, or ended more than a day ago. */
  state: 'listed' | 'waiting' | 'active' | 'dead' | 'unknown' | Ended['state']
  /** Since when it waits, or when it ended. */
  at?: number
  /** The machine that sent it; known as long as it waits or is dead. */
  host?: string
  title?: string
  /** The answer of the receiver, or the reason. */
  detail?: string
  summary?: string
  lastFailure?: Failure
}

/** Finds out what became of a message. @param id as its machine names it; without a channel, those of all channels */
export async function whereaboutsOf(hub: OpenHub, id: string): Promise<Whereabouts[]> {
  const channels = hub.queues.flatMap(({ channels: names }) => names)
  const ids = id.includes('.') ? [id] : channels.map((channel) => `${id}.${channel}`)
  const all = await Promise.all(ids.map((one) => lookFor(hub, one)))
  const known = all.filter(({ state }) => state !== 'unknown')
  return known.length > 0 ? known : [{ id, state: 'unknown' }]
}

async function lookFor(hub: OpenHub, id: string): Promise<Whereabouts> {
  const [{ ended, failure }, job] = await Promise.all([historyOf(id, hub.redis), findJob(hub, id)])
  const tried = failure && { lastFailure: failure }
  // Checked first: a message that was part of a summary may still have a job that waits for its turn.
  if (ended) return { id, ...ended, ...tried }
  if (job) return { ...(await waitingAs(job, id)), ...tried }
  return { id, state: (await isListed(hub, id)) ? 'listed' : 'unknown' }
}

async function findJob({ queues }: OpenHub, id: string): Promise<HubJob | undefined> {
  const jobs = await Promise.all(queues.map(({ queue }) => queue.getJob(id)))
  return jobs.find((job) => job !== undefined)
}

async function waitingAs(job: HubJob, id: string): Promise<Whereabouts> {
  const { data, failedReason, finishedOn } = job
  const { host, title } = data.record
  const state = await job.getState()
  if (state === 'failed')
    return {
      id,
      state: 'dead',
      at: finishedOn ?? data.receivedAt,
      host,
      title,
      detail: failedReason,
    }
  return { id, state: state === 'active' ? 'active' : 'waiting', at: data.receivedAt, host, title }
}

/** A script searches, because the records may be too many for one reply, and move from one list to another meanwhile. */
async function isListed({ redis }: OpenHub, id: string): Promise<boolean> {
  const lists = [TAKEN, HELD, INBOX]
  const text = `"id":${JSON.stringify(id)}`
  return (await redis.count('EVAL', FIND, `${lists.length}`, ...lists, text, `${MAX_LISTED}`)) === 1
}
