import { cacheStamp, mayBeCached, readCached, writeCached } from './config-cache.ts'
import type { LoadedConfig } from './load/load.ts'
import { problemHint } from './problem-hint.ts'
import { configStamp } from './stamp.ts'
import { unreachableChannels } from './unreachable-channels.ts'

/** What people are shown of the configuration: no secrets, and of a channel's settings only its type. */
export interface ConfigSummary {
  source: LoadedConfig['source']
  /** Types by name, of the channels that can be used. */
  channels: Readonly<Record<string, string>>
  unusable: LoadedConfig['unusable']
  unusableDirect?: LoadedConfig['unusableDirect']
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

/** The name of the cache entry. */
const NAME = 'config-summary'

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
  const { config, problem, source, unusable, pending, unset, warnings } = loaded
  const types = Object.entries(config.channels).map(([name, { type }]) => [name, type])
  const waiting = Object.entries(unusable).filter(([name]) => !Object.hasOwn(pending, name))
  const templates = new Set(config.routes.flatMap(({ template }) => template ?? []))
  return {
    source,
    // Only a worker fetches secrets, so a channel that waits for one counts as usable.
    channels: { ...Object.fromEntries(types), ...pending },
    unusable: Object.fromEntries(waiting),
    ...{ unset, warnings },
    unreachable: unreachableChannels(config),
    ...(loaded.unusableDirect && { unusableDirect: loaded.unusableDirect }),
    ...((config.hub || loaded.hubProblem !== undefined) && { hasHub: true }),
    ...(config.extraCaFile && { extraCaFile: config.extraCaFile }),
    ...(templates.size > 0 && { templates: [...templates] }),
    ...(problem && { problem: { message: problem.message, hint: problemHint(problem) } }),
  }
}
