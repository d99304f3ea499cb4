import { type Delivery, deliveryId } from '../../src/delivery.ts'

/** A delivery of one event to the channel `file`. */
export function makeDelivery(event: string, changes: Partial<Delivery> = {}): Delivery {
  const { channel = 'file', kind = 'done', urgency = 'normal' } = changes
  return {
    id: deliveryId(event, channel),
    events: [event],
    host: 'here',
    channel,
    session: `claude ${event}`,
    kind,
    urgency,
    message: {
      id: event,
      event: 'Stop',
      kind,
      urgency,
      title: `title of ${event}`,
      body: `body of ${event}`,
      markup: '',
      sessionId: '',
      cwd: '/srv',
      client: 'claude',
      at: '2026-01-01T00:00:00.000Z',
    },
    sessionEnv: {},
    acceptedAt: 1,
    notBefore: 0,
    expires: 0,
    attempts: 0,
    firstTriedAt: 0,
    ...changes,
  }
}
