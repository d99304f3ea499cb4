import { configuredChannel } from '../repeated-channel.ts'
import type { ChannelRules } from './schema/channel.ts'

/**
 * A channel of the configuration. Without a state it is ready, with the notifier's own options. `waiting`: until a worker
 * has fetched its secret; `broken`: until a person corrects something. Then only its rules are known, and why.
 */
export type Channel = ChannelRules & { standIn?: Channel } & (
    | { state?: undefined; why?: undefined }
    | { state: 'waiting' | 'broken'; why: string }
  )

interface Channels {
  channels: Readonly<Record<string, Channel>>
}

/** A channel, whether or not it can be used now; undefined if the configuration has none of this name. */
export function channelOf(name: string, { channels }: Channels): Channel | undefined {
  const configured = configuredChannel(name)
  return Object.hasOwn(channels, configured) ? channels[configured] : undefined
}

/** Names of the channels that can be used now. */
export function readyChannels({ channels }: Channels): string[] {
  return Object.keys(channels).filter((name) => channels[name]?.state === undefined)
}

/** The notifier's own options of a channel that can be used now, and its rules. */
export function optionsOf({ type: _, standIn: _standIn, ...options }: Channel) {
  return options
}

interface BrokenChannel {
  name: string
  why: string
  /** It delivers what the hub does not take: without it, messages wait for the hub. */
  isStandIn: boolean
}

/** The channels that a person has to correct, then those that stand in for the hub. */
export function brokenChannels({ channels }: Channels): BrokenChannel[] {
  const all = Object.entries(channels)
  const own = all.map(([name, one]) => ({ name, one, isStandIn: false }))
  const standIns = all.map(([name, { standIn: one }]) => ({ name, one, isStandIn: true }))
  return [...own, ...standIns].flatMap(({ one, ...which }) =>
    one?.state === 'broken' ? [{ ...which, why: one.why }] : [],
  )
}
