import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { cursor } from './cursor.ts'
import type { Client } from './define.ts'
import { droid } from './droid.ts'
import { gemini } from './gemini.ts'
import { kilo } from './kilo.ts'
import { kimi } from './kimi.ts'
import { opencode } from './opencode.ts'
import { qwen } from './qwen.ts'

/** Adding a client: one file of data beside this one, and its line here. */
export const clients = {
  claude,
  codex,
  copilot,
  cursor,
  droid,
  gemini,
  kilo,
  kimi,
  opencode,
  qwen,
} satisfies Record<string, Client>

export type ClientName = keyof typeof clients

export const clientNames = Object.keys(clients).sort() as readonly ClientName[]

export function isClientName(name: string): name is ClientName {
  return clientNames.includes(name as ClientName)
}

export function findClient(name: string): Client | undefined {
  return Object.hasOwn(clients, name) ? clients[name as ClientName] : undefined
}

/** What messages call the agent of a client, such as `Claude`; '' for an unknown client. */
export function agentName(name: string): string {
  return findClient(name) ? name.charAt(0).toUpperCase() + name.slice(1) : ''
}

/** Variables by which the events of a session are judged. The front door must store them with each event. */
export const sessionVariables: readonly string[] = [
  ...new Set((Object.values(clients) as Client[]).flatMap(variablesOf)),
]

function variablesOf({ headless, switchedOffBy, beganIn = [], surfaces = [] }: Client): string[] {
  return [
    ...headless.filter(({ from }) => from === 'env').map(({ name }) => name),
    ...(switchedOffBy === undefined ? [] : [switchedOffBy]),
    ...beganIn,
    ...surfaces.flatMap(({ env }) => Object.keys(env)),
  ]
}
