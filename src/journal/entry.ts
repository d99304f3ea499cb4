import * as z from 'zod'

const base = { at: z.number().describe('Unix ms'), id: z.string().describe('Event') }
const channel = { channel: z.string(), attempt: z.int() }

/** One line of the journal: a decision about an event, or one try to deliver it. */
export const journalEntrySchema = z.discriminatedUnion('type', [
  z.object({
    ...base,
    type: z.literal('accepted'),
    acceptedAt: z.number().describe('When the front door stored it, Unix ms'),
    event: z.string(),
    kind: z.string(),
    client: z.string(),
    sessionId: z.string(),
    project: z.string(),
    title: z.string(),
    to: z.array(z.string()).optional().describe('Channels it is for'),
    problems: z.array(z.string()).optional(),
    print: z.string().optional().describe('Hash of client and content'),
    shared: z.boolean().optional().describe('From the hooks of a project'),
    double: z.string().optional().describe('The event that is the same one'),
  }),
  z.object({ ...base, type: z.literal('suppressed'), reason: z.string() }),
  z.object({
    ...base,
    ...channel,
    type: z.literal('delivered'),
    ms: z.number(),
    answer: z.string(),
  }),
  z.object({ ...base, ...channel, type: z.literal('not-here'), reason: z.string() }),
  z.object({
    ...base,
    ...channel,
    type: z.literal('deferred'),
    reason: z.string(),
    until: z.number(),
  }),
  z.object({ ...base, ...channel, type: z.literal('gave-up'), reason: z.string() }),
  z.object({
    ...base,
    type: z.literal('unusable'),
    reason: z.string(),
    client: z.string().optional(),
  }),
  z.object({ ...base, type: z.literal('retried') }),
  z.object({ ...base, type: z.literal('dropped') }),
])

export type JournalEntry = z.output<typeof journalEntrySchema>
