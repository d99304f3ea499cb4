import * as z from 'zod'
import { timeOfDay, timeZone, weekdays } from './noise.ts'

export const digest = z.strictObject({
  at: timeOfDay.describe('Time at which it is sent, such as 18:00'),
  to: z.array(z.string()).min(1).describe('Names of channels'),
  days: z.array(z.enum(weekdays)).min(1).optional().describe('On which days. Default: every day'),
  timeZone,
})
