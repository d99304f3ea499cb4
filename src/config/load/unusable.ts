import { valueAt } from '../../text/zod-issue.ts'
import type { Channel } from '../channels.ts'
import { channelsSchema, parseRules } from '../schema/channel.ts'
import { referencesWithin } from '../secrets/secrets.ts'
import type { Expanded, Unusable } from './expand.ts'
import { type Fault, faultsOf } from './issue.ts'

/** What is known of channels that cannot be used now. */
export function unusableChannels(all: Expanded['unusable']): Record<string, Channel> {
  return mapValues(all, ({ value, ...why }): Channel => ({ ...parseRules(value), ...why }))
}

/** Finds the mistakes in channels that cannot be used now, in all values but those that are not complete. */
export function faultsInUnusable(all: Expanded['unusable']): Fault[] {
  const channels = mapValues(all, ({ value }) => value)
  const { error } = channelsSchema.safeParse(channels, { jitless: true })
  const certain = (error?.issues ?? []).filter(
    ({ code, path }) => isAboutKeys(code) || referencesWithin(valueAt(channels, path)).length === 0,
  )
  const issues = certain.map((issue) => ({ ...issue, path: ['channels', ...issue.path] }))
  return faultsOf(issues, { channels })
}

function mapValues<To>(all: Expanded['unusable'], to: (one: Unusable) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [name, to(one)]))
}

function isAboutKeys(code: string): boolean {
  return code === 'unrecognized_keys' || code === 'invalid_key'
}
