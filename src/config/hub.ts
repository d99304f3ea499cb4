import { expandChannels, type SecretValues } from './expand.ts'
import type { Fault } from './issue.ts'

type Raw = Record<string, unknown>

/** Each channel of the hub becomes a channel of this machine, so that routes, rules and clearance know nothing of hubs. */
export function withHubChannels(raw: Raw, whereNone: object): Raw {
  const names = hubChannelsOf(raw)
  if (names.length === 0) return raw
  const { channels: _, ...connection } = raw.hub as Raw
  const own = raw.channels === undefined ? whereNone : raw.channels
  if (typeof own !== 'object' || own === null || Array.isArray(own)) return raw
  const made = names.map((name) => [name, { ...connection, type: 'hub' }] as const)
  return { ...raw, channels: { ...Object.fromEntries(made), ...own } }
}

/** The settings with its references filled in. Without a value that is set nowhere: undefined, and why. */
export function expandHub(raw: Raw, values: SecretValues) {
  const { channels, used, unusable } = expandChannels(
    { ...raw, channels: { hub: raw.hub } },
    values,
  )
  return { hub: channels?.hub, used, problem: unusable.hub }
}

/** A fault of a channel that stands in no file is one of the hub. */
export function inTheFile({ path, ...fault }: Fault, raw: Raw): Fault {
  const [room, name, ...rest] = path
  const own = Object(raw.channels) as Raw
  const isMade = room === 'channels' && typeof name === 'string' && !Object.hasOwn(own, name)
  return { ...fault, path: isMade && hubChannelsOf(raw).includes(name) ? ['hub', ...rest] : path }
}

export function faultInHub(raw: Raw): Fault | undefined {
  const own = Object(raw.channels) as Raw
  const at = hubChannelsOf(raw).findIndex((name) => Object.hasOwn(own, name))
  if (at < 0) return undefined
  const name = hubChannelsOf(raw)[at]
  return {
    path: ['hub', 'channels', at],
    what: `"${name}" is a channel of this machine already`,
    hint: 'Remove it under "channels", or give it another name there',
  }
}

function hubChannelsOf({ hub }: Raw): string[] {
  const { channels } = Object(hub) as { channels?: unknown }
  return Array.isArray(channels) ? channels.filter((name) => typeof name === 'string') : []
}
