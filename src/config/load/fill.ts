import { valueAt } from '../../text/zod-issue.ts'
import type { Channel } from '../channels.ts'
import { channelsSchema, parseRules } from '../schema/channel.ts'
import { defaultChannels } from '../schema/schema.ts'
import { secretOptionsOf, secretsOf } from '../schema/secret-options.ts'
import { referencesWithin } from '../secrets/secrets.ts'
import { type Expanded, expandChannels, type SecretValues, type Unusable } from './expand.ts'
import { expandHub, standInsOf, withHubChannels } from './hub.ts'
import { type Fault, faultsOf } from './issue.ts'

/** A configuration with its references filled in, and with a channel for each channel of the hub. */
export interface Filled
  extends Omit<Expanded, 'channels'>,
    Pick<ReturnType<typeof parseStandIns>, 'standIns' | 'faultsInStandIns'> {
  settings: object
  hubProblem: string | undefined
}

/** Fills in the references of a configuration that is not validated yet. */
export function fillIn(raw: Record<string, unknown>, values: SecretValues): Filled {
  const { channels, ...state } = expandChannels(withHubChannels(raw, defaultChannels), values)
  const ofHub = expandHub(raw, values)
  const ofStandIns = parseStandIns(raw, values)
  return {
    ...state,
    ...ofStandIns,
    settings: { ...raw, ...(channels && { channels }), hub: ofHub.hub },
    hubProblem: ofHub.problem,
    unset: [...new Set([...state.unset, ...ofHub.unset, ...ofStandIns.unset])],
    sources: { ...state.sources, ...ofStandIns.sources },
    used: [...state.used, ...ofHub.used, ...ofStandIns.used],
  }
}

type Raw = Record<string, unknown>

interface StandIns extends Pick<Expanded, 'unset' | 'sources' | 'used'> {
  /** The channels of this machine that deliver for hub channels of the same names, by name. */
  standIns: Readonly<Record<string, Channel>>
  faultsInStandIns: readonly Fault[]
}

/** Parses the channels that deliver from here what the hub does not take. */
function parseStandIns(raw: Raw, values: SecretValues): StandIns {
  const names = standInsOf(raw)
  const nothing = { unset: [], sources: {}, used: [], standIns: {}, faultsInStandIns: [] }
  if (names.length === 0) return nothing
  const own = raw.channels as Raw
  const channels = Object.fromEntries(names.map((name) => [name, own[name]]))
  const expanded = expandChannels({ ...raw, channels }, values)
  const { unset, sources, used } = expanded
  const result = channelsSchema.safeParse(expanded.channels, { jitless: true })
  if (!result.success) {
    const issues = result.error.issues.map((one) => ({ ...one, path: ['channels', ...one.path] }))
    return { ...nothing, faultsInStandIns: faultsOf(issues, { channels: expanded.channels }) }
  }
  const checked = { channels: result.data }
  return {
    ...{ ...nothing, unset, sources },
    standIns: { ...result.data, ...unusableIn(expanded) },
    used: [...used, ...secretsOf(checked, secretOptionsOf(checked))],
  }
}

function unusableIn({ unusable }: Expanded): Record<string, Channel> {
  const all = Object.entries(unusable).map(([name, { why, ...one }]) => {
    return [name, { ...one, why: `cannot stand in for the hub: ${why}` }] as const
  })
  return unusableChannels(Object.fromEntries(all))
}

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
