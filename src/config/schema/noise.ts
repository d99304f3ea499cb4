import * as z from 'zod'
import { kinds } from '../../event/event.ts'

/** Rules against noise that can be switched off by name. Each is a file in `src/policy/`. */
export const noiseRules = [
  'repeats',
  'sub-agents',
  'goes-on',
  'idle',
  'ends',
  'short-turns',
  'cooldown',
  'at-terminal',
  'answered-at-once',
  'same-failure',
  'burst',
  'quiet-hours',
] as const

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

export const timeOfDay = z
  .string()
  .regex(/^(([01]?\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time such as 22:00')

export const timeZone = z
  .string()
  .refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin')
  .optional()
  .describe('Such as Europe/Berlin. Default: that of this machine')

const quietHours = z.strictObject({
  from: timeOfDay.describe('Start time, such as 22:00'),
  to: timeOfDay.describe('End time, such as 07:00; on the next day unless later than `from`'),
  days: z
    .array(z.enum(weekdays))
    .min(1)
    .optional()
    .describe('The days on which they begin. Default: every day'),
  timeZone,
  except: z
    .array(z.enum(kinds))
    .default([])
    .describe('Kinds that are sent anyway. Permission questions always are'),
})

export const noise = z.strictObject({
  minSeconds: z
    .number()
    .nonnegative()
    .default(15)
    .describe('A turn that took less time is suppressed, if its duration is known'),
  burstSeconds: z
    .number()
    .nonnegative()
    .max(60)
    .default(2)
    .describe('Questions of one session that follow within this time are sent in one message'),
  cooldownSeconds: z
    .number()
    .nonnegative()
    .default(0)
    .describe('How long a session is silent after its last turn; not for questions and failures'),
  skipAtTerminal: z
    .boolean()
    .default(false)
    .describe('Suppress everything but questions while somebody is at the terminal of the session'),
  quietHours: z
    .array(quietHours)
    .default([])
    .describe('When to hold everything but questions, to be sent in one message afterwards'),
  off: z.array(z.enum(noiseRules)).default([]).describe('Rules that are switched off'),
})

export const quietHoursShape = quietHours.shape

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

export const digest = z.strictObject({
  at: timeOfDay.describe('Time at which it is sent, such as 18:00'),
  to: z.array(z.string()).min(1).describe('Names of channels'),
  days: z.array(z.enum(weekdays)).min(1).optional().describe('On which days. Default: every day'),
  timeZone,
})
