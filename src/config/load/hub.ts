import { expandChannels, type SecretValues } from './expand.ts'
import type { Fault } from './issue.ts'

type Raw = Record<string, unknown>

/** Turns each channel of the hub into one of this machine, so that routes and rules need not know about hubs. */
export function withHubChannels(raw: Raw, whereNone: object): Raw {
  const names = hubChannelsOf(raw)
  if (names.length === 0) return raw
  const { channels: _, after: _after, directAfterMinutes: _minutes, ...connection } = raw.hub as Raw
  const own = raw.channels === undefined ? whereNone : raw.channels
  if (typeof own !== 'object' || own === null || Array.isArray(own)) return raw
  const standIns = standInsOf(raw)
  const made = names.map((name) => {
    const rules = standIns.includes(name) ? rulesOf((own as Raw)[name]) : {}
    return [name, { ...connection, ...rules, type: 'hub' }] as const
  })
  const others = Object.entries(own).filter(([name]) => !standIns.includes(name))
  return { ...raw, channels: Object.fromEntries([...made, ...others]) }
}

/** The channels that deliver from here what the hub does not take: those that share a name with a hub channel. */
export function standInsOf(raw: Raw): string[] {
  const { after } = Object(raw.hub) as { after?: unknown }
  const own = Object(raw.channels) as Raw
  return after === 'direct' ? hubChannelsOf(raw).filter((name) => Object.hasOwn(own, name)) : []
}

/** Clearance and noise rules do not depend on whether the hub or this machine delivers. */
function rulesOf(channel: unknown): Raw {
  const rules = Object.entries(Object(channel)).filter(([name]) => /^(noise|clearance)$/.test(name))
  return Object.fromEntries(rules)
}

/** The hub's settings with references filled in. If one is set nowhere, `hub` is undefined and `problem` says why. */
export function expandHub(raw: Raw, values: SecretValues) {
  const { channels, used, unset, unusable } = expandChannels(
    { ...raw, channels: { hub: raw.hub } },
    values,
  )
  return { hub: channels?.hub, used, unset, problem: unusable.hub?.why }
}

/** Moves the fault of a generated channel, which is not in the file, to the hub settings it was made from. */
export function withPathInFile({ path, ...fault }: Fault, raw: Raw): Fault {
  const [section, name, ...rest] = path
  const own = Object(raw.channels) as Raw
  if (section !== 'channels' || typeof name !== 'string') return { ...fault, path }
  const isMade = !Object.hasOwn(own, name) || standInsOf(raw).includes(name)
  return { ...fault, path: isMade && hubChannelsOf(raw).includes(name) ? ['hub', ...rest] : path }
}

export function faultInHub(raw: Raw): Fault | undefined {
  const { after } = Object(raw.hub) as { after?: unknown }
  if (after === 'direct') return faultOfDirect(raw)
  const own = Object(raw.channels) as Raw
  const at = hubChannelsOf(raw).findIndex((name) => Object.hasOwn(own, name))
  if (at < 0) return undefined
  const name = hubChannelsOf(raw)[at]
  return {
    path: ['hub', 'channels', at],
    what: `"${name}" is a channel of this machine already`,
    hint: 'Remove it under "channels", give it another name there, or set "after" of "hub" to "direct"',
  }
}

function faultOfDirect(raw: Raw): Fault | undefined {
  if (standInsOf(raw).length > 0) return undefined
  return {
    path: ['hub', 'after'],
    what: 'no channel of the hub is a channel of this machine too',
    hint: 'Add one of its names under "channels", with what sends its messages from here',
  }
}

function hubChannelsOf({ hub }: Raw): string[] {
  const { channels } = Object(hub) as { channels?: unknown }
  return Array.isArray(channels) ? channels.filter((name) => typeof name === 'string') : []
}
