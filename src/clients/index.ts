import { claude } from './claude.ts'
import type { Client } from './define.ts'
import { droid } from './droid.ts'

/** Adding a client: one file of data beside this one, and its line here. */
export const clients = { claude, droid } satisfies Record<string, Client>

export type ClientName = keyof typeof clients

export const clientNames = Object.keys(clients).sort() as readonly ClientName[]

export function isClientName(name: string): name is ClientName {
  return Object.hasOwn(clients, name)
}
