import { idAtHub } from '../../hub/handed-over.ts'
import { type EventStatus, isOpen } from '../../journal/history.ts'
import type { Events } from '../_events.ts'

/** What this machine knows of its hub. */
export interface HubRow {
  /** 'reachable', or why not. */
  reach: string
  /** Events with a message for the hub that is not handed over yet, and events that no worker has seen. */
  waiting: number
  /** When the last message was handed over, Unix ms; null if none of the latest events was. */
  lastHandedOver: number | null
}

/** @param channels names of the channels that go to the hub */
export function hubRow(events: Events, channels: readonly string[], reach: string): HubRow {
  // An event that no worker has seen yet may be for the hub.
  const isForHub = ({ outcome, to, channels: states }: EventStatus) =>
    outcome === 'waiting' &&
    (to.length === 0 ||
      channels.some((name) => to.includes(name) && isOpen({ channels: states }, name)))
  const times = events.known.flatMap(({ channels: states }) =>
    channels.flatMap((name) => handedOverAt(states[name])),
  )
  return {
    reach,
    waiting: events.known.filter(isForHub).length,
    lastHandedOver: times.length > 0 ? Math.max(...times) : null,
  }
}

/** A message that bypassed the hub is `delivered` too, so the hub's id in the detail decides. */
function handedOverAt(state: EventStatus['channels'][string] | undefined): number[] {
  return state?.state === 'delivered' && idAtHub(state.detail) !== undefined ? [state.at] : []
}
