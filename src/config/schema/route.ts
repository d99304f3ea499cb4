import * as z from 'zod'
import { urgencies } from '../../delivery.ts'
import { kinds } from '../../event/event.ts'
import { parseDuration } from '../../text/duration.ts'
import { timeOfDay, timeZone, weekdays } from './noise.ts'
import { afterMs } from './steps.ts'

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
    .describe("A regular expression for the agent's answer or question"),
  minSeconds: z
    .number()
    .positive()
    .optional()
    .describe('The turn took at least this long; does not hold if the duration is unknown'),
  asks: z
    .boolean()
    .optional()
    .describe('Whether it is a question: for permission, or at the end of a turn'),
  permissionMode: texts.optional().describe('Such as plan or bypassPermissions; exact words'),
  host: texts.optional().describe('Patterns for the name of this machine'),
  from: timeOfDay.optional().describe('Start time of day'),
  to: timeOfDay.optional().describe('End time of day; on the next day unless later than `from`'),
  weekday: z.array(z.enum(weekdays)).min(1).optional().describe('Days of the week'),
  timeZone,
  ssh: z.boolean().optional().describe('Whether the session runs over SSH'),
  headless: z.boolean().optional().describe('Whether the session is known to run without a person'),
  here: z
    .boolean()
    .optional()
    .describe('Whether a person is at this machine; counts as if it were so while that is unknown'),
  away: z.boolean().optional().describe('The opposite of `here`; also told if unknown'),
})

const channelNames = z.array(z.string()).min(1).describe('Names of channels')

const MAX_AFTER_MS = 24 * 3600_000

const step = z.strictObject({
  after: z
    .string()
    .refine((text) => (parseDuration(text) ?? 0) > 0, 'must be a duration such as 2m or 1h30m')
    .refine((text) => (parseDuration(text) ?? 0) <= MAX_AFTER_MS, 'must not be longer than a day')
    .optional()
    .describe('How long after the event, such as 2m. Default: at once'),
  to: channelNames,
})

const routeFields = z.strictObject({
  on: z
    .array(z.string().min(1))
    .min(1)
    .describe(`Event names (Stop, Notification, ...) and kinds (${kinds.join(', ')}); "*" is all`),
  when: conditions.optional().describe('All of these hold'),
  not: conditions.optional().describe('None of these holds'),
  to: channelNames.optional().describe('Names of channels'),
  steps: z
    .array(step)
    .min(1)
    .optional()
    .describe(
      'Instead of `to`: channels that get the message at once, and others later unless somebody has answered',
    ),
  urgency: z.enum(urgencies).optional().describe('Replaces the default urgency of the kind'),
  template: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be a name of letters, digits, "_" and "-"')
    .optional()
    .describe('Name of your own template, such as short for templates/plain/short.liquid'),
  stop: z.boolean().optional().describe('If this route matches, later routes are ignored'),
})

export const route = routeFields.superRefine(({ to, steps }, context) => {
  const fail = (path: PropertyKey[], message: string) =>
    void context.addIssue({ code: 'custom', path, message })
  if (!to && !steps) return fail(['to'], 'is missing')
  if (to && steps)
    return fail(['steps'], 'cannot be combined with "to": the first step is sent at once')
  let before = -1
  for (const [index, one] of (steps ?? []).entries()) {
    const ms = afterMs(one)
    if (ms <= before) fail(['steps', index, 'after'], 'must be later than the step before it')
    before = ms
    for (const [at, name] of one.to.entries()) {
      const isTwice = one.to.indexOf(name) < at
      if (isTwice) fail(['steps', index, 'to', at], `"${name}" is in this step already`)
    }
  }
})

export const stepShape = step.shape
export const conditionShape = conditions.shape
export type Conditions = z.output<typeof conditions>

function isPattern(source: string): boolean {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}
