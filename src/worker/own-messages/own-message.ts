import type { CurrentConfig } from '../../config/current.ts'
import type { Config } from '../../config/schema/schema.ts'
import type { Delivery } from '../../delivery.ts'
import { parseEvent } from '../../event/parse.ts'
import { type AcceptedEntry, OWN_CLIENT } from '../../journal/entry.ts'
import type { PrepareDeps } from '../../prepare/decide.ts'
import { prepare } from '../../prepare/prepare.ts'
import { newId } from '../../spool/names.ts'
import type { WorkerMemory } from '../memory.ts'

/** A message of hookbell itself, and its line for the journal. */
export interface OwnMessage {
  entry: AcceptedEntry
  delivery: Delivery
}

/** Its line for the journal, made from the message alone. */
export function ownEntry(
  { events: [id = ''], acceptedAt, channel, message }: Delivery,
  { config, at }: { config: Config; at: number },
): AcceptedEntry {
  const { event, kind, title, body } = message
  return {
    ...{ at, id, type: 'accepted', acceptedAt, event, kind, title, to: [channel] },
    ...{ client: OWN_CLIENT, sessionId: '', project: '' },
    ...(config.journal.text && { text: body }),
  }
}

/** What hookbell itself has to say, as an event whose hook it fires. */
export interface OwnEvent {
  body: Buffer
  /** Of the session whose desktop is meant. */
  env: Readonly<Record<string, string>>
}

/** The event by which hookbell reports a failure. The templates make `reason` its title. */
export function ownReport(reason: string, message: string, env: OwnEvent['env']): OwnEvent {
  return {
    body: Buffer.from(JSON.stringify({ hook_event_name: 'StopFailure', reason, message })),
    env,
  }
}

interface MakeDeps extends Omit<PrepareDeps, 'memory'> {
  config: Pick<CurrentConfig, 'last'>
  memory: Pick<WorkerMemory, 'get'>
}

/** Makes the message for one channel, whatever the routes say. */
export async function makeOwnMessage(
  { body, env }: OwnEvent,
  channel: string,
  deps: MakeDeps,
): Promise<OwnMessage> {
  const loaded = deps.config.last
  const header = { client: OWN_CLIENT, env: { ...env } }
  const stored = { id: newId(), at: deps.now(), header, body, truncated: false }
  const event = parseEvent(stored, loaded.config.abnormalReasons)
  const chosen = { channel, shared: false }
  const memory = await deps.memory.get()
  const { entry, deliveries } = await prepare(event, chosen, loaded, { ...deps, memory })
  // A channel that is chosen by name is neither judged nor left out.
  const [delivery] = deliveries as [Delivery]
  return { entry, delivery }
}
