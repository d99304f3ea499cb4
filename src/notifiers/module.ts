import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { answerLine } from './_network.ts'
import {
  type ComposeContext,
  DeliveryError,
  defineNotifier,
  type Message,
  type Sent,
} from './define.ts'
import { type Channel, callModule, secretsIn } from './module/call.ts'

const composed = z.object({
  headers: z.record(z.string(), z.string()).optional(),
  body: z.union([z.string(), z.record(z.string(), z.unknown())]),
  html: z.string().optional(),
})
const sent = z.union([
  z.string(),
  z.object({
    answer: z.string(),
    handle: z.string().optional(),
    remaining: z.array(z.string()).optional(),
  }),
])

/** A preview is not waited for any longer. */
const COMPOSE_MS = 10_000

/**
 * A notifier of the user's own. It runs in a process of its own, since its code may do anything: block, end its process,
 * throw where nobody catches. So what a notifier declares besides its options and functions is the same for all of them.
 */
export const module = defineNotifier({
  name: 'module',
  title: 'Notifier of your own',
  summarizes: true,
  leavesMachine: true,
  options: z.strictObject({
    file: z
      .string()
      .refine(
        (path) => /^~[/\\]/.test(path) || isAbsolute(path),
        'must be the path of a file, such as ./ring.mjs',
      )
      .describe('File of your notifier; "type": "./ring.mjs" is short for it'),
    options: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('The options that it declares; in the short form they stand beside the type')
      .meta({ secret: true }),
  }),
  async compose(message, channel, { now, attempt }: ComposeContext) {
    const signal = AbortSignal.timeout(COMPOSE_MS)
    const call = { name: 'compose', message, context: { now, attempt } } as const
    const value = await callModule(channel, call, { signal })
    if (value === null) return { body: shown(message) }
    const { data } = composed.safeParse(value)
    if (!data) throw new DeliveryError('give-up', 'compose must return { body }')
    return data
  },
  async send(message, channel, { signal, extraCaFile, sessionEnv, now, attempt, remaining }) {
    const context = { sessionEnv, now, attempt, remaining }
    const call = { name: 'send', message, context } as const
    const value = await callModule(channel, call, { signal, extraCaFile })
    return sentBy(channel, value)
  },
  async withdraw(handle, channel, { signal, extraCaFile, sessionEnv }) {
    const call = { name: 'withdraw', handle, context: { sessionEnv } } as const
    const value = await callModule(channel, call, { signal, extraCaFile })
    return answerLine(String(value ?? 'cannot be withdrawn'), secretsIn(channel))
  },
  async update(handle, message, channel, { signal, extraCaFile, sessionEnv, now }) {
    const call = { name: 'update', handle, message, context: { sessionEnv, now } } as const
    const value = await callModule(channel, call, { signal, extraCaFile })
    return typeof value === 'string' ? value : handle
  },
})

/** A notifier without `compose` gets the message itself. */
function shown({ markup: _, ...message }: Message): object {
  return message
}

/** It has returned, so the message is sent, whatever it returned. */
function sentBy(channel: Channel, value: unknown): Sent {
  const { data = '' } = sent.safeParse(value)
  const { answer, handle, remaining } = typeof data === 'string' ? { answer: data } : data
  return {
    answer: answerLine(answer, secretsIn(channel)) || 'sent',
    ...(handle !== undefined && { handle }),
    ...(remaining && { remaining }),
  }
}
