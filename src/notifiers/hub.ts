import * as z from 'zod'
import { type HubServer, RedisConnection } from '../hub/connection.ts'
import { explainFailure } from '../hub/explain.ts'
import { handedOverAs } from '../hub/handed-over.ts'
import { Outbox } from '../hub/outbox.ts'
import { type AnswerRecord, answerOf, type HubRecord, recordOf } from '../hub/record.ts'
import { RedisError } from '../hub/resp.ts'
import { type HubConnection, hubConnection, whyUnsafe } from '../hub/settings.ts'
import { untilAborted } from './_until-aborted.ts'
import {
  type ComposeContext,
  DeliveryError,
  defineNotifier,
  type Message,
  type SendContext,
  tooLate,
} from './define.ts'

/** Codes of Redis: it has no room. */
const FULL = ['OOM', 'WRONGTYPE']
/** Codes of Redis: user, password or rights are wrong. */
const NOT_ALLOWED = ['WRONGPASS', 'NOAUTH', 'NOPERM']

/** One outbox per hub. Its connection stays open while it is used. */
const outboxes = new Map<string, Outbox>()

export const hub = defineNotifier({
  name: 'hub',
  title: 'Hub (Redis)',
  options: z.strictObject(hubConnection),
  leavesMachine: true,
  // Messages that wait while others are handed over are sent together, in one command.
  concurrency: 64,
  keepsOrder: true,
  compose: (message, _, context) => ({ body: composeRecord(message, context) }),
  async send(message, settings, context) {
    const record = composeRecord(message, context)
    await handOver(record, settings, context)
    return handedOverAs(record.id)
  },
  async tellAnswer(answer, settings, context) {
    await handOver(answerOf(answer, context.now), settings, context)
  },
})

async function handOver(
  record: HubRecord | AnswerRecord,
  settings: HubConnection,
  { signal, extraCaFile }: Pick<SendContext, 'signal' | 'extraCaFile'>,
) {
  const unsafe = whyUnsafe(settings)
  if (unsafe) throw new DeliveryError('give-up', `hub: url ${unsafe}`)
  try {
    const add = () => outboxTo({ ...settings, extraCaFile }).add(JSON.stringify(record))
    await untilAborted(add, signal, () => tooLate('hub', signal))
  } catch (error) {
    if (error instanceof DeliveryError) throw error
    const code = error instanceof RedisError ? error.code : ''
    throw new DeliveryError('retry', `hub: ${explainFailure(error)}`, {
      hint: FULL.includes(code) ? 'Nothing is lost: it waits here' : undefined,
      isChannelDead: NOT_ALLOWED.includes(code),
    })
  }
}

function composeRecord(message: Message, { delivery, now }: ComposeContext) {
  const acceptedAt = Date.parse(message.at) || now
  const alone = {
    events: [message.id],
    host: '',
    channel: 'hub',
    session: `${message.client} ${message.sessionId || message.id}`,
    acceptedAt,
    expires: 0,
  }
  return recordOf(delivery ?? alone, message, now)
}

function outboxTo(server: HubServer): Outbox {
  // Channels that differ only in other settings, such as the clearance, share one outbox.
  const { url, password, ca, extraCaFile } = server
  const key = JSON.stringify([url, password, ca, extraCaFile])
  const known = outboxes.get(key)
  if (known) return known
  // The outbox of earlier settings needs no cleanup: its connection closes when it is idle.
  const made = new Outbox(new RedisConnection(server))
  outboxes.set(key, made)
  return made
}
