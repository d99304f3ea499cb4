import * as z from 'zod'
import { kinds } from './event/kind.ts'

export const urgencies = ['low', 'normal', 'critical'] as const
export type Urgency = (typeof urgencies)[number]

/**
 * How much of what the agent says a channel may have. `full`: whole messages; `summary`: what is asked and the last
 * lines; `minimal`: who and what kind of event, none of the agent's text.
 */
export const clearances = ['full', 'summary', 'minimal'] as const
export type Clearance = (typeof clearances)[number]

const origin = z.object({
  label: z.string().describe('What a person knows the session by; its short id where nothing else'),
  project: z.string(),
  branch: z.string(),
  host: z.string().describe("The machine, where the reader may sit at another one; '' otherwise"),
  reply: z.string().describe("The command that answers the session; '' where none can"),
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
  origin: origin.optional().describe('Whose event it is, in words for a person'),
  sessionId: z.string(),
  cwd: z.string(),
  client: z.string(),
  at: z.string().describe('When the event was accepted, ISO 8601 in UTC'),
})
export type Message = z.output<typeof messageSchema>

/** A question that a message asks, with what is needed to see whether it was answered meanwhile. */
export const askedSchema = z.object({
  id: z.string().describe('Of the event'),
  at: z.number().describe('When it was accepted, Unix ms'),
  toolUseId: z.string().describe("The call that it is about; '' where unknown"),
  transcriptPath: z.string().describe("Where the answer would show; '' where unknown"),
  title: z.string(),
  text: z.string().describe('What is asked, in one line'),
})
export type Asked = z.output<typeof askedSchema>

/**
 * One message on its way to one channel: a plain value that needs nothing of the machine that made it, but where the
 * channel is the desktop or a terminal.
 */
export const deliverySchema = z.object({
  id: z.string().describe('Of the delivery; the file name where it is parked'),
  events: z.array(z.string()).min(1).describe('The events it tells of, oldest first'),
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
    .describe('What it asks, oldest first; absent where it asks nothing'),
  sessionEnv: z.record(z.string(), z.string()),
  acceptedAt: z.number().describe('Unix ms'),
  notBefore: z.number().describe('Unix ms; 0: at once'),
  expires: z.number().describe('Unix ms after which it is not worth telling; 0: never'),
  attempts: z.int().nonnegative().describe('Made so far'),
  firstTriedAt: z.number().describe('Unix ms of the first attempt; 0 before it'),
})
export type Delivery = z.output<typeof deliverySchema>

/** Somebody has answered a session, as far as this machine can see. */
export interface Answer {
  host: string
  /** As in `Delivery`. */
  session: string
  /** Unix ms. */
  at: number
  /** Whether it answers whatever the session had asked before. */
  isForAll: boolean
  /** Ids of events that asked something, and are known to be answered. */
  questions: readonly string[]
}

/** One event makes at most one delivery to a channel, so this names it. */
export function deliveryId(eventId: string, channel: string): string {
  return `${eventId}.${channel}`
}
