import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { canonicalEvents } from '../../src/clients/vocabulary.ts'
import type { EnrichedEvent } from '../../src/context/enrich.ts'
import { kinds } from '../../src/event/event.ts'
import { parsePayload } from './payload.ts'

// A sequence is a file of JSON lines. The first line describes it. Each further line is an event with its time, and says
// whether a person should get a message about it by default.

/** Reasons why an event leads to a message. */
const reasonsToTell = {
  asks: 'the agent waits until a person answers',
  burst: 'further questions within two seconds make one more ping at most',
  'turn-done': 'a long turn ended',
  'run-done': 'a long one-shot run ended',
  'background-over': 'the tasks in the background ended',
  'turn-failed': 'the turn failed',
  crashed: 'the session ended abnormally during a turn',
} as const

/** Reasons why an event leads to no message. */
const reasonsForSilence = {
  prompt: 'a person sent a prompt',
  'session-start': 'a session began',
  tool: 'a tool was used',
  answered: 'a person answered',
  'answered-at-once': 'the client answered by itself before the message was sent',
  repeat: 'another event of the client already led to the same message',
  burst: 'the message about the next question covers it',
  'idle-after-stop': 'the end of the turn was already handled',
  'background-runs': 'tasks still run in the background',
  'short-turn': 'the turn took less than 15 seconds',
  subagent: 'only a sub-agent started or ended, not the agent',
  'sign-in': 'a person has nothing to do',
  'ended-after-stop': 'the session ended normally after a turn that was over',
  'already-told': 'the failure before it already led to a message',
  'ended-by-person': 'a person ended the session',
  interrupted: 'a person stopped the turn',
  internal: 'the event is internal to the client',
} as const

const words = [...Object.keys(reasonsToTell), ...Object.keys(reasonsForSilence)]

const head = z.strictObject({
  title: z.string().min(1),
  /** The number of pings that a person wants. */
  wanted: z.number().int().nonnegative(),
  /** The number of further pings that are acceptable. */
  allowedUnwanted: z.number().int().nonnegative().default(0),
  /** The numbers of pings, all and unwanted, if every permission, wait, Stop and abnormal end makes one. */
  before: z.strictObject({ told: z.number().int(), unwanted: z.number().int() }).optional(),
})

const line = z
  .strictObject({
    /** Time since the start of the sequence, ms. */
    at: z.number().int().nonnegative(),
    client: z.string(),
    means: z.enum(canonicalEvents),
    /** The kind according to the payload alone. */
    kind: z.enum(kinds),
    /** The class of message, or null for none. */
    told: z.enum(['question', 'result', 'failure']).nullable(),
    why: z.enum(words as [string, ...string[]]),
    /** The longest allowed delay of the message after the event, ms; none if absent. */
    afterMs: z.number().int().positive().optional(),
    env: z.record(z.string(), z.string()).default({}),
    /** The fields that the transcript would add. */
    found: z.record(z.string(), z.unknown()).default({}),
    payload: z.record(z.string(), z.unknown()),
  })
  .refine(
    ({ told, why }) => Object.hasOwn(told ? reasonsToTell : reasonsForSilence, why),
    'the reason does not fit "told"',
  )

export type SequenceLine = z.output<typeof line>

export interface Sequence extends z.output<typeof head> {
  name: string
  lines: SequenceLine[]
}

const folder = join(import.meta.dirname, '../fixtures/sequences')

/** Loads all recorded sequences. Throws if one is invalid. */
export function loadSequences(): Sequence[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => {
      const [first = '', ...rest] = readFileSync(join(folder, file), 'utf8').trimEnd().split('\n')
      return {
        name: file.replace(/\.jsonl$/, ''),
        ...head.parse(JSON.parse(first)),
        lines: rest.map((text) => line.parse(JSON.parse(text))),
      }
    })
}

/** The event of a line at its time, as `parseEvent` sees it. */
export function eventOfLine({ client, at, env, payload }: SequenceLine, start: number, id = 'e1') {
  return { ...parsePayload(payload, { client, at: start + at, env }), id }
}

/** The same event, with the context that hookbell would have found. */
export function enrichedOfLine(one: SequenceLine, start: number, id = 'e1'): EnrichedEvent {
  const event = eventOfLine(one, start, id)
  return {
    ...event,
    project: event.cwd.split('/').at(-1) ?? '',
    branch: '',
    title: '',
    firstPrompt: '',
    tokens: undefined,
    did: { tools: {}, files: [], commands: [] },
    ...(one.found as Partial<EnrichedEvent>),
  }
}
