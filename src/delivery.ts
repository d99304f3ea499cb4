import * as z from 'zod'
import { kinds } from './event/event.ts'

export const urgencies = ['low', 'normal', 'critical'] as const
export type Urgency = (typeof urgencies)[number]

/**
 * How much of the agent's text a channel may receive. `full`: whole messages; `summary`: the question, and both
 * ends of the answer; `minimal`: who and what kind of event, none of the agent's text.
 */
export const clearances = ['full', 'summary', 'minimal'] as const
export type Clearance = (typeof clearances)[number]

const origin = z.object({
  label: z.string().describe('A name by which a person knows the session; else its short id'),
  project: z.string(),
  branch: z.string(),
  host: z.string().describe("The machine, if the reader may be at another one; '' otherwise"),
  reply: z
    .string()
    .describe("The command that answers the session, or goes on with it; '' where none can"),
})
export type Origin = z.output<typeof origin>

/** One event, rendered for one channel. All text is bounded and free of control characters (newlines stay). */
export const messageSchema = z.object({
  id: z
    .string()
    .describe(
      'The same in every repeat, so that a receiver can drop a second copy. [A-Za-z0-9._~-]',
    ),
  event: z.string().describe("The agent's own name of the event, such as Stop"),
  kind: z.enum(kinds),
  urgency: z.enum(urgencies),
  title: z.string().describe('One line of plain text'),
  body: z.string().describe('Plain text, possibly several lines, possibly empty'),
  markup: z
    .string()
    .describe("The body in the notifier's own markup, escaped; '' where it has none"),
  origin: origin.optional().describe('Which session the event belongs to, in words for a person'),
  sessionId: z.string(),
  cwd: z.string(),
  client: z.string(),
  at: z.string().describe('When the event was accepted, ISO 8601 in UTC'),
  asks: z
    .boolean()
    .optional()
    .describe("Whether the agent's turn ended with a question to a person; absent for false"),
})
export type Message = z.output<typeof messageSchema>

/** Whether a message stays where it is shown until its session goes on, if the channel can do that. */
export function staysShown({ urgency, asks }: Pick<Message, 'urgency' | 'asks'>): boolean {
  return urgency === 'critical' || asks === true
}

/** A question that a message asks. */
export const askedSchema = z.object({
  id: z.string().describe('Id of the event'),
  at: z.number().describe('When the event was accepted, Unix ms'),
  title: z.string(),
  text: z.string().describe('The question, in one line'),
})
export type Asked = z.output<typeof askedSchema>

/**
 * One message on its way to one channel: a plain value. It is independent of the machine that made it, unless the
 * channel is the desktop or a terminal.
 */
export const deliverySchema = z.object({
  id: z.string().describe('Id of the delivery: that of the event, a dot, the channel'),
  events: z.array(z.string()).min(1).describe('Ids of the events it reports, oldest first'),
  host: z.string(),
  channel: z.string(),
  template: z.string().optional().describe('The template that the route names'),
  session: z.string().describe('Messages of one session arrive in the order of acceptance'),
  kind: z.enum(kinds),
  urgency: z.enum(urgencies),
  message: messageSchema,
  questions: z
    .array(askedSchema)
    .optional()
    .describe('The questions it asks, oldest first; absent if there are none'),
  isUnconditional: z
    .boolean()
    .optional()
    .describe('No rule holds or suppresses its next attempt, such as after a person asked for it'),
  sessionEnv: z.record(z.string(), z.string()),
  acceptedAt: z.number().describe('Unix ms'),
  notBefore: z.number().describe('When it is due, Unix ms; 0: at once'),
  expires: z.number().describe('Unix ms after which it is no longer worth sending; 0: never'),
  remaining: z
    .array(z.string())
    .optional()
    .describe('The recipients who have not got it, if others have; absent if nobody has'),
  attempts: z.int().nonnegative().describe('Attempts made so far'),
  firstTriedAt: z.number().describe('Unix ms of the first attempt; 0 if there was none'),
})
export type Delivery = z.output<typeof deliverySchema>

/** Somebody has answered a session, as far as this machine can see. */
export interface Answer {
  host: string
  /** As in `Delivery`. */
  session: string
  /** Unix ms. */
  at: number
  /** Whether it answers everything that the session asked before. */
  isForAll: boolean
  /** Ids of the events whose questions are known to be answered. */
  questions: readonly string[]
}

/** The id of a delivery. It is unique, because an event makes at most one delivery per channel. */
export function deliveryId(eventId: string, channel: string): string {
  return `${eventId}.${channel}`
}
