import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEvent } from '../../src/event/event.ts'
import { parseEvent } from '../../src/event/parse.ts'

const folder = join(import.meta.dirname, '../fixtures/payloads')

/** The clients that have recorded payloads. */
export const payloadClients = readdirSync(folder)

export function payloadNames(client: string): string[] {
  return readdirSync(join(folder, client)).map((file) => file.replace(/\.json$/, ''))
}

export function readPayload(client: string, name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(folder, client, `${name}.json`), 'utf8'))
}

interface Told {
  at?: number
  client?: string
  env?: Record<string, string>
  abnormalReasons?: readonly string[]
}

/** An event as the worker sees it, from its payload. */
export function parsePayload(payload: unknown, told: Told = {}): AgentEvent {
  const { at = 5, client = 'unknown', env = {}, abnormalReasons = ['error', 'other'] } = told
  const body = Buffer.from(JSON.stringify(payload))
  const accepted = { id: 'e1', at, header: { client, env }, body, truncated: false }
  return parseEvent(accepted, abnormalReasons)
}

/** A Stop event with nothing but these fields. */
export function makeAgentEvent(fields: Partial<AgentEvent> = {}): AgentEvent {
  return { ...parsePayload({ hook_event_name: 'Stop' }), ...fields }
}
