import type { Channel } from '../channels.ts'
import { channelsSchema } from '../schema/channel.ts'
import { secretOptionsOf, secretsOf } from '../schema/secret-options.ts'
import { type Expanded, expandChannels, type SecretValues } from './expand.ts'
import { standInsOf } from './hub.ts'
import { type Fault, faultsOf } from './issue.ts'
import { unusableChannels } from './unusable.ts'

type Raw = Record<string, unknown>

interface StandIns extends Pick<Expanded, 'unset' | 'sources' | 'used'> {
  /** The channels of this machine that deliver for hub channels of the same names, by name. */
  standIns: Readonly<Record<string, Channel>>
  faultsInStandIns: readonly Fault[]
}

/** Parses the channels that deliver from here what the hub does not take. */
export function parseStandIns(raw: Raw, values: SecretValues): StandIns {
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
