import { type Channel, channelsSchema } from '../schema/channel.ts'
import { secretOptionsOf, secretsOf } from '../schema/secret-options.ts'
import { type Expanded, expandChannels, type SecretValues } from './expand.ts'
import { standInsOf } from './hub.ts'
import { type Fault, faultsOf } from './issue.ts'

type Raw = Record<string, unknown>

export interface Direct extends Pick<Expanded, 'unset' | 'sources' | 'used'> {
  /** The channels of this machine that deliver for hub channels of the same names, by name. */
  direct?: Readonly<Record<string, Channel>>
  /** Those of them that cannot be used now, with the reason: their messages can only wait for the hub. */
  unusable: Record<string, string>
  /** Those that only wait until their secrets are fetched, with the reason. */
  pending: Record<string, string>
  faults?: readonly Fault[]
}

/** Parses the channels that deliver from here what the hub does not take; without `direct` if none is configured. */
export function parseDirect(raw: Raw, values: SecretValues): Direct {
  const standIns = standInsOf(raw)
  const nothing: Direct = { unset: [], sources: {}, used: [], unusable: {}, pending: {} }
  if (standIns.length === 0) return nothing
  const own = raw.channels as Raw
  const channels = Object.fromEntries(standIns.map((name) => [name, own[name]]))
  const expanded = expandChannels({ ...raw, channels }, values)
  const { unset, sources, used } = expanded
  const result = channelsSchema.safeParse(expanded.channels, { jitless: true })
  if (!result.success) {
    const issues = result.error.issues.map((one) => ({ ...one, path: ['channels', ...one.path] }))
    return { ...nothing, faults: faultsOf(issues, { channels: expanded.channels }) }
  }
  const checked = { channels: result.data }
  return {
    ...{ unset, sources, direct: result.data, ...missingIn(expanded) },
    used: [...used, ...secretsOf(checked, secretOptionsOf(checked))],
  }
}

function missingIn({ unusable, pending }: Expanded): Pick<Direct, 'unusable' | 'pending'> {
  const reasons = Object.entries(unusable).map(([name, why]) => {
    return [name, `cannot stand in for the hub: ${why}`] as const
  })
  const isPending = ([name]: readonly [string, string]) => Object.hasOwn(pending, name)
  return {
    unusable: Object.fromEntries(reasons.filter((one) => !isPending(one))),
    pending: Object.fromEntries(reasons.filter(isPending)),
  }
}
