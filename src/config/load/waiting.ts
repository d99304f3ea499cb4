import { valueAt } from '../../text/zod-issue.ts'
import { type ChannelRules, channelsSchema, parseRules } from '../schema/channel.ts'
import { referencesWithin } from '../secrets/secrets.ts'
import { type Fault, faultsOf } from './issue.ts'

type Channels = Readonly<Record<string, unknown>>

/** The rules of channels that cannot be used yet, by name. */
export function waitingRules(waiting: Channels): Record<string, ChannelRules> {
  const rules = Object.entries(waiting).map(([name, one]) => [name, parseRules(one)] as const)
  return Object.fromEntries(rules)
}

/** Finds the mistakes in channels that cannot be used yet, in all values but those that are not complete. */
export function faultsInWaiting(waiting: Channels): Fault[] {
  const { error } = channelsSchema.safeParse(waiting, { jitless: true })
  const certain = (error?.issues ?? []).filter(
    ({ code, path }) => isAboutKeys(code) || referencesWithin(valueAt(waiting, path)).length === 0,
  )
  const issues = certain.map((issue) => ({ ...issue, path: ['channels', ...issue.path] }))
  return faultsOf(issues, { channels: waiting })
}

function isAboutKeys(code: string): boolean {
  return code === 'unrecognized_keys' || code === 'invalid_key'
}
