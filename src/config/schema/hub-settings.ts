import * as z from 'zod'
import { hubConnection } from '../../hub/settings.ts'
import { channelName } from './channel.ts'

/** The hub that this machine hands deliveries to; on the hub's own machine: the Redis that it uses. */
export const hubSettings = z.strictObject({
  ...hubConnection,
  channels: z
    .array(channelName)
    .max(100)
    .default([])
    .describe(
      "Channels of the hub, which routes of this machine may name; none on the hub's own machine",
    ),
  after: z
    .literal('direct')
    .optional()
    .describe(
      '"direct": after directAfterMinutes without the hub, this machine sends through its own channel of the same name; otherwise messages wait for the hub',
    ),
  directAfterMinutes: z
    .number()
    .positive()
    .max(7 * 24 * 60)
    .default(10)
    .describe('With "after": how long the hub must be unavailable'),
})
