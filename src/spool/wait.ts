import { deliveryId } from '../delivery.ts'
import { type Open, type ShownState, shownOn } from './card.ts'

/** When one delivery is due, without its text. */
export interface Wait {
  /** Id of the delivery. */
  id: string
  event: string
  channel: string
  /** When it is due, Unix ms; 0 where it is to be reviewed before its time. */
  until: number
  /** Until when its destination has asked for nothing to be sent, Unix ms; 0 if it has not. */
  askedUntil: number
  since: number
  isHeld: boolean
  /** Held by quiet hours. */
  isQuiet: boolean
  group?: string | undefined
  session: string
  /** Whether it may be no longer worth sending once its session goes on. */
  canBeAnswered: boolean
  /** Unix ms. */
  acceptedAt: number
  /** What the channel shows: then it waits for its session, not for a time. */
  shown?: ShownState
}

/** Whether it waits because its destination has asked for that, and nobody has changed the configuration since. */
export function isAsked({ askedUntil, since }: Readonly<Wait>, changedAt: number): boolean {
  return askedUntil > 0 && since > changedAt
}

export function waitOf(open: Open | ShownState): Wait {
  if (open.state === 'shown') return waitOfShown(open)
  const { state, since, isAsked: wasAsked, dueOtherwise, group, delivery } = open
  const { id, events, channel, session, acceptedAt, notBefore: until, kind, message } = delivery
  const [event = ''] = events
  const isHeld = state === 'held'
  return {
    ...{ id, event, channel, until, since, isHeld, group, session, acceptedAt },
    askedUntil: wasAsked ? until : 0,
    isQuiet: dueOtherwise !== undefined,
    // The end of a turn that asked nothing is told even if a person has gone on.
    canBeAnswered: isHeld || kind !== 'done' || message.asks === true,
  }
}

function waitOfShown(shown: ShownState): Wait {
  const { event, session, since, at: acceptedAt } = shown
  const channel = shownOn(shown.channel)
  const never = { until: Number.POSITIVE_INFINITY, askedUntil: 0, isHeld: false, isQuiet: false }
  const about = { id: deliveryId(event, channel), event, channel, session, since, acceptedAt }
  return { ...never, ...about, canBeAnswered: false, shown }
}

/** What cannot be read is due at once. */
export function unreadable(id: string, event: string, channel: string): Wait {
  const times = { until: 0, askedUntil: 0, since: 0, acceptedAt: 0 }
  return {
    ...times,
    id,
    event,
    channel,
    isHeld: false,
    isQuiet: false,
    session: '',
    canBeAnswered: true,
  }
}
