import { HookbellError } from '../../errors.ts'
import { isObject } from '../../is-object.ts'
import type { GivenNotifiers } from '../../notifiers/index.ts'
import { asText, issueInWords, valueAt } from '../../text/zod-issue.ts'
import type { Channel } from '../channels.ts'
import type { ChannelRules } from '../schema/channel.ts'
import type { Config } from '../schema/schema.ts'
import type { Source } from './check.ts'
import { UNKNOWN_KEY } from './issue.ts'
import { messageAt } from './position.ts'

// Notifiers that a program brings along. The schema of the configuration does not know them, so each of their channels is
// validated as a module first, with everything else in the file, and then by its own notifier.

type Raw = Readonly<Record<string, unknown>>

export function withPlaceholders(raw: Raw, given: GivenNotifiers): Raw {
  if (!isObject(raw.channels)) return raw
  const channels = Object.entries(raw.channels).map(([name, channel]) => {
    if (!isObject(channel) || !Object.hasOwn(given, asText(channel.type))) return [name, channel]
    const { type: _, noise, clearance, ...options } = channel
    return [
      name,
      {
        ...{ type: 'module', file: '/', options },
        ...(noise !== undefined && { noise }),
        ...(clearance !== undefined && { clearance }),
      },
    ]
  })
  return { ...raw, channels: Object.fromEntries(channels) }
}

/** @throws HookbellError E_CONFIG for options that a notifier does not accept */
export function withGiven(config: Config, source: Source, given: GivenNotifiers): Config {
  const typeOf = (name: string) => asText(valueAt(source.raw, ['channels', name, 'type']))
  const isGiven = ([name]: readonly [string, unknown]) => Object.hasOwn(given, typeOf(name))
  const rulesOf = (name: string, { noise, clearance }: ChannelRules): ChannelRules => {
    const isSet = valueAt(source.raw, ['channels', name, 'clearance']) !== undefined
    const usual = given[typeOf(name)]?.leavesMachine ? 'summary' : 'full'
    return { type: typeOf(name), noise, clearance: isSet ? clearance : usual }
  }
  const channels = Object.entries(config.channels)
    .filter(isGiven)
    .map(([name, channel]) => {
      const rules = rulesOf(name, channel)
      // One that cannot be used now has no options.
      if (channel.state !== undefined) return [name, { ...channel, ...rules }] as const
      const options = parseOptions(name, Object(channel).options, source, given[typeOf(name)])
      return [name, { ...options, ...rules } as Channel] as const
    })
  return { ...config, channels: { ...config.channels, ...Object.fromEntries(channels) }, given }
}

function parseOptions(
  name: string,
  options: unknown,
  source: Source,
  notifier: GivenNotifiers[string] | undefined,
): object | undefined {
  const { data, error } = notifier?.options.safeParse(options) ?? {}
  const [issue] = error?.issues ?? []
  if (!issue) return data
  const extra = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const what = extra.length > 0 ? UNKNOWN_KEY : issueInWords(issue, valueAt(options, issue.path))
  const path = ['channels', name, ...issue.path, ...extra]
  throw new HookbellError('E_CONFIG', messageAt(source, path, what))
}
