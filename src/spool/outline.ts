import { join } from 'node:path'
import { listQuietly } from '../fs/read.ts'
import { readSpoolFile } from './event-file.ts'
import { eventFolders, isFilled, parseName, type Spool, spoolIn } from './layout.ts'
import { isFlushed, requestedAt } from './requests.ts'

/** When an open delivery is due. */
interface OpenOutline {
  /** Unix ms; 0 for now. */
  until: number
  /** Held by a policy; otherwise it failed and waits for its next attempt. */
  isHeld: boolean
}

/**
 * Outlines of the open deliveries, read without a schema, for a command that has to be quick. None if the folder cannot
 * be read, which `spoolAtRisk` reports.
 */
export function outlineOpen(spool: Spool): OpenOutline[] {
  const flushedAt = requestedAt(spool.state, 'flush')
  const now = Date.now()
  const names = listQuietly(spool.cards).filter((name) => parseName(name)?.isCard)
  return names.flatMap((name) =>
    readChannels(join(spool.cards, name)).flatMap(({ state, since, delivery }) => {
      const until = delivery?.notBefore
      // What a channel shows has no delivery.
      if (typeof until !== 'number') return []
      const wait = { isHeld: state === 'held', since: Number(since) }
      return [{ until: isFlushed(wait, flushedAt, now) ? 0 : until, isHeld: wait.isHeld }]
    }),
  )
}

/** Whether something in this state folder waits for a worker. */
export function hasWaiting(state: string): boolean {
  const spool = spoolIn(state)
  return [spool.tmp, ...eventFolders(spool)].some(isFilled) || countWaitingCards(spool) > 0
}

/** How many cards have something that waits for a time. */
export function countWaitingCards({ cards }: Spool): number {
  const names = listQuietly(cards).filter((name) => parseName(name))
  const waits = ({ state }: Fields) => state !== 'shown'
  return names.filter((name) => {
    const channels = readChannels(join(cards, name))
    return channels.length === 0 || channels.some(waits)
  }).length
}

interface Fields {
  state?: unknown
  since?: unknown
  delivery?: { notBefore?: unknown } | null
}

function readChannels(path: string): Fields[] {
  try {
    const file = readSpoolFile(path)
    const { channels } = 'bytes' in file ? Object(JSON.parse(file.bytes.toString())) : {}
    return Object.values(Object(channels)).map((one) => Object(one))
  } catch {
    // A worker has just claimed it, or it is damaged and a worker will set it aside.
    return []
  }
}
