import type { Open } from './card.ts'

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
}

/** Whether it waits because its destination has asked for that, and nobody has changed the configuration since. */
export function isAsked({ askedUntil, since }: Readonly<Wait>, changedAt: number): boolean {
  return askedUntil > 0 && since > changedAt
}

export function waitOf({
  state,
  since,
  isAsked: wasAsked,
  dueOtherwise,
  group,
  delivery,
}: Open): Wait {
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
