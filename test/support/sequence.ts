import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { canonicalEvents } from '../../src/clients/vocabulary.ts'
import type { EnrichedEvent } from '../../src/context/enrich.ts'
import { kinds } from '../../src/event/kind.ts'
import { parsePayload } from './payload.ts'

// A sequence is a file of JSON lines: the first says what it is about, each further one is an event with its time,
// and what a person should be told of it by default.

/** Why a person is told. */
const reasonsToTell = {
  asks: 'the agent stands still until a person answers',
  burst: 'further questions within two seconds make one more ping at most',
  'turn-done': 'a turn that took its time is over',
  'run-done': 'a one-shot run that took its time is over',
  'background-over': 'what ran in the background is over',
  'turn-failed': 'the turn failed',
  crashed: 'the session broke off in the middle of a turn',
} as const

/** Why nobody is. */
const reasonsForSilence = {
  prompt: 'a person wrote',
  'session-start': 'a session began',
  tool: 'a tool was used',
  answered: 'a person answered',
  'answered-at-once': 'the client answered by itself before the question was told',
  repeat: 'the same was told already, by another event of the client',
  burst: 'told together with the next question',
  'idle-after-stop': 'the end of the turn was told or judged already',
  'background-runs': 'tasks still run in the background',
  'short-turn': 'the turn took less than 15 seconds',
  subagent: 'a sub-agent is not the agent',
  'sign-in': 'nothing that a person has to do',
  'ended-after-stop': 'an ordinary end, after a turn that was over',
  'already-told': 'the failure before it was told',
  'ended-by-person': 'a person ended the session',
  interrupted: 'a person stopped the turn',
  internal: 'the client talks to itself',
} as const

const words = [...Object.keys(reasonsToTell), ...Object.keys(reasonsForSilence)]

const head = z.strictObject({
  title: z.string().min(1),
  /** How many pings a person wants to have. */
  wanted: z.number().int().nonnegative(),
  /** How many more are tolerable. None where absent. */
  allowedUnwanted: z.number().int().nonnegative().default(0),
  /** What was told when every permission, wait, Stop and abnormal end made a ping. */
  before: z.strictObject({ told: z.number().int(), unwanted: z.number().int() }).optional(),
})

const line = z
  .strictObject({
    /** Since the start of the sequence, ms. */
    at: z.number().int().nonnegative(),
    client: z.string(),
    means: z.enum(canonicalEvents),
    /** The kind according to the payload alone. */
    kind: z.enum(kinds),
    /** The class of message, or null for none. */
    told: z.enum(['question', 'result', 'failure']).nullable(),
    why: z.enum(words as [string, ...string[]]),
    /** How long after the event it is told at the latest, ms; at once if absent. */
    afterMs: z.number().int().positive().optional(),
    env: z.record(z.string(), z.string()).default({}),
    /** What the transcript would tell. */
    found: z.record(z.string(), z.unknown()).default({}),
    payload: z.record(z.string(), z.unknown()),
  })
  .refine(
    ({ told, why }) => Object.hasOwn(told ? reasonsToTell : reasonsForSilence, why),
    'the reason does not fit what is told',
  )

export type SequenceLine = z.output<typeof line>

export interface Sequence extends z.output<typeof head> {
  name: string
  lines: SequenceLine[]
}

const folder = join(import.meta.dirname, '../fixtures/sequences')

/** All recorded sequences, checked. */
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

/** The same event, with what hookbell would have found out around it. */
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
