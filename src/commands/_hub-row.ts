import { idAtHub } from '../hub/handed-over.ts'
import type { EventStatus } from '../journal/history.ts'
import type { Events } from './_events.ts'

/** Events that are looked at, the latest or those that wait. */
const MAX_EVENTS = 500

/** What this machine knows of its hub. */
export interface HubRow {
  /** 'reachable', or why not. */
  reach: string
  /** Events with a message that is not handed over yet, or that may have one. */
  waiting: number
  /** Unix ms of the last message that was handed over; null where none of the latest was. */
  lastHandedOver: number | null
}

/** @param channels those of the hub */
export function hubRow(events: Events, channels: readonly string[], reach: string): HubRow {
  const waiting = events.all.filter(({ outcome }) => outcome === 'waiting')
  // What no worker has looked at yet may be for the hub.
  const isOpen = ({ to, channels: states }: EventStatus) =>
    to.length === 0 ||
    channels.some((name) => to.includes(name) && isUnsettled(states[name]?.state))
  const latest = events.inFull(events.tallies.latest(MAX_EVENTS))
  const times = latest.flatMap(({ channels: states }) =>
    channels.flatMap((name) => handedOverAt(states[name])),
  )
  return {
    reach,
    waiting: events.inFull(waiting.slice(-MAX_EVENTS)).filter(isOpen).length,
    lastHandedOver: times.length > 0 ? Math.max(...times) : null,
  }
}

/** What was told directly is delivered too. */
function handedOverAt(state: EventStatus['channels'][string] | undefined): number[] {
  return state?.state === 'delivered' && idAtHub(state.detail) !== undefined ? [state.at] : []
}

function isUnsettled(state: string | undefined): boolean {
  return state === undefined || state === 'deferred' || state === 'held'
}
