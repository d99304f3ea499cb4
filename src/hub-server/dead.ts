import { noteEnd } from './history.ts'
import type { OpenHub } from './status.ts'

/** The messages that were given up, or refused by their destination. */
export async function deadInHub({ queues }: OpenHub) {
  const all = await Promise.all(queues.map(({ queue }) => queue.getFailed(0, 999)))
  return all.flat().map(({ data: { record, receivedAt }, failedReason }) => ({
    ...{ id: record.id, host: record.host, channel: record.channel },
    ...{ receivedAt, title: record.title, reason: failedReason },
  }))
}

/** Retries or drops dead messages. @param id of one message; absent: all. @returns how many there were */
export async function actOnDead(
  { queues, redis }: OpenHub,
  action: 'retry' | 'drop',
  id?: string,
): Promise<number> {
  const all = await Promise.all(queues.map(({ queue }) => queue.getFailed()))
  const meant = all.flat().filter((job) => id === undefined || job.id === id)
  await Promise.all(meant.map((job) => (action === 'retry' ? job.retry() : job.remove())))
  if (action === 'drop') {
    const ended = { at: Date.now(), state: 'dropped', detail: 'by a person' } as const
    await Promise.all(meant.map(({ data }) => noteEnd([data.record.id], ended, redis)))
  }
  return meant.length
}
