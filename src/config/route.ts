import * as z from 'zod'
import { urgencies } from '../delivery.ts'
import { kinds } from '../event/kind.ts'
import { timeOfDay, timeZone, weekdays } from './noise.ts'

const MAX_PATTERN = 500

const texts = z.array(z.string().min(1).max(MAX_PATTERN)).min(1)

export const conditions = z.strictObject({
  project: texts
    .optional()
    .describe('Patterns for the name of the project or its folder, such as api-* or ~/code/**'),
  branch: texts.optional().describe('Patterns for the branch, such as release/*'),
  client: texts.optional().describe('Names of clients, such as claude'),
  reason: texts.optional().describe('Why the session ended or the turn failed; exact words'),
  message: z
    .string()
    .min(1)
    .max(MAX_PATTERN)
    .refine(isPattern, 'must be a regular expression')
    .optional()
    .describe('A regular expression for what the agent says or asks'),
  minSeconds: z
    .number()
    .positive()
    .optional()
    .describe('The turn took at least so long; does not hold where that is not known'),
  permissionMode: texts.optional().describe('Such as plan or bypassPermissions; exact words'),
  host: texts.optional().describe('Patterns for the name of this machine'),
  from: timeOfDay.optional().describe('From this time of day on'),
  to: timeOfDay.optional().describe('Until this time of day; earlier than `from`: over midnight'),
  weekday: z.array(z.enum(weekdays)).min(1).optional().describe('The days on which it counts'),
  timeZone,
  ssh: z.boolean().optional().describe('Whether the session runs over SSH'),
})

export const route = z.strictObject({
  on: z
    .array(z.string().min(1))
    .min(1)
    .describe(`Event names (Stop, Notification, ...) and kinds (${kinds.join(', ')}); "*" is all`),
  when: conditions.optional().describe('All of these hold'),
  not: conditions.optional().describe('None of these holds'),
  to: z.array(z.string()).min(1).describe('Names of channels'),
  urgency: z
    .enum(urgencies)
    .optional()
    .describe('Instead of the urgency that follows from the kind'),
  template: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be a name of letters, digits, "_" and "-"')
    .optional()
    .describe('Name of a template of yours, such as short for templates/plain/short.liquid'),
  stop: z.boolean().optional().describe('Where this route matches, those after it do not count'),
})

export const conditionKeys = Object.keys(conditions.shape)
export type Conditions = z.output<typeof conditions>

function isPattern(source: string): boolean {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}
