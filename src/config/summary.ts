import type { Channel } from './channels.ts'
import { cacheStamp, mayBeCached, readCached, writeCached } from './config-cache.ts'
import type { LoadedConfig } from './load/load.ts'
import { problemHint } from './problem-hint.ts'
import { configStamp } from './stamp.ts'
import { unreachableChannels } from './unreachable-channels.ts'

/** What people are shown of the configuration: no secrets, and of a channel no settings. */
export interface ConfigSummary {
  source: LoadedConfig['source']
  channels: Readonly<Record<string, Channel>>
  unset: LoadedConfig['unset']
  /** Channels that no event reaches. */
  unreachable: readonly string[]
  warnings: LoadedConfig['warnings']
  /** Whether a hub is configured. */
  hasHub?: boolean
  extraCaFile?: string
  /** The templates that routes name. */
  templates?: readonly string[]
  problem?: { message: string; hint: string }
}

/** The name of the cache entry. It changes with the fields. */
const NAME = 'config-channels'

/** The cached summary while it is valid, else a new one. Only that of a valid configuration is cached. */
export async function readConfigSummary(
  configDir: string,
  stateDir: string,
  now = Date.now(),
): Promise<ConfigSummary> {
  const stamp = cacheStamp(configDir, configStamp(configDir, stateDir))
  const kept = readCached(stateDir, NAME, stamp)
  if (kept) return kept as ConfigSummary
  const { CurrentConfig } = await import('./current.ts')
  const summary = summaryOf(new CurrentConfig(configDir, stateDir).get())
  if (!summary.problem && mayBeCached(configDir, now)) {
    writeCached(stateDir, NAME, { stamp, value: summary })
  }
  return summary
}

function summaryOf(loaded: LoadedConfig): ConfigSummary {
  const { config, problem, source, unset, warnings } = loaded
  const channels = Object.entries(config.channels).map(([name, one]) => [name, withoutOptions(one)])
  const templates = new Set(config.routes.flatMap(({ template }) => template ?? []))
  return {
    source,
    channels: Object.fromEntries(channels),
    ...{ unset, warnings },
    unreachable: unreachableChannels(config),
    ...((config.hub || loaded.hubProblem !== undefined) && { hasHub: true }),
    ...(config.extraCaFile && { extraCaFile: config.extraCaFile }),
    ...(templates.size > 0 && { templates: [...templates] }),
    ...(problem && { problem: { message: problem.message, hint: problemHint(problem) } }),
  }
}

function withoutOptions({ type, clearance, standIn, ...one }: Channel): Channel {
  const why = one.state === undefined ? {} : { state: one.state, why: one.why }
  return { type, clearance, ...why, ...(standIn && { standIn: withoutOptions(standIn) }) }
}
