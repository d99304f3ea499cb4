import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolders, replaceFile } from '../fs/durable.ts'
import { readQuietly } from '../fs/read.ts'
import { isTrusted, isTrustedIfPresent } from '../fs/trust.ts'
import { packageVersion } from '../version.ts'
import type { LoadedConfig } from './load.ts'
import { configPath, secretsPath } from './paths.ts'
import { unreachableChannels } from './reach.ts'
import { configStamp } from './stamp.ts'

/** What a person is told of the configuration: no secrets, and no settings of a channel but its type. */
export interface ConfigSummary {
  source: LoadedConfig['source']
  /** Types by name, of the channels that can be used. */
  channels: Readonly<Record<string, string>>
  unusable: LoadedConfig['unusable']
  unset: LoadedConfig['unset']
  /** Channels that no event reaches. */
  unreachable: readonly string[]
  warnings: LoadedConfig['warnings']
  /** Whether there is one. */
  hasHub?: boolean
  extraCaFile?: string
  /** The templates that routes name. */
  templates?: readonly string[]
  problem?: { message: string; hint?: string }
}

/** Of what is kept. */
const FORMAT = 3
/** Long enough that a later change of a file gets another time. */
const SETTLED_AFTER_MS = 2000

/**
 * To load a configuration takes as long as Node.js takes to start, twice. So what came of it is kept in the state
 * folder, for as long as no file changes that it was made of. Only a configuration without a fault is kept.
 */
export async function readConfigSummary(
  configDir: string,
  stateDir: string,
  now = Date.now(),
): Promise<ConfigSummary> {
  const stamp = `${FORMAT} ${packageVersion()} ${configDir} ${configStamp(configDir, stateDir)}`
  const kept = readKept(stateDir, stamp)
  if (kept) return kept
  const { CurrentConfig } = await import('./current.ts')
  const summary = summaryOf(new CurrentConfig(configDir, stateDir).get())
  if (!summary.problem && mayBeKept(configDir, now)) keep(stateDir, stamp, summary)
  return summary
}

function summaryOf(loaded: LoadedConfig): ConfigSummary {
  const { config, problem, source, unusable, pending, unset, warnings } = loaded
  const types = Object.entries(config.channels).map(([name, { type }]) => [name, type])
  const waiting = Object.entries(unusable).filter(([name]) => !Object.hasOwn(pending, name))
  const templates = new Set(config.routes.flatMap(({ template }) => template ?? []))
  const { message, hint } = problem ?? {}
  return {
    source,
    // Only a worker fetches secrets: what waits for one can be used.
    channels: { ...Object.fromEntries(types), ...pending },
    unusable: Object.fromEntries(waiting),
    ...{ unset, warnings },
    unreachable: unreachableChannels(config),
    ...((config.hub || loaded.hubProblem !== undefined) && { hasHub: true }),
    ...(config.extraCaFile && { extraCaFile: config.extraCaFile }),
    ...(templates.size > 0 && { templates: [...templates] }),
    ...(message !== undefined && { problem: { message, ...(hint && { hint }) } }),
  }
}

function keptPath(stateDir: string): string {
  return join(stateDir, 'cache', 'config-summary.json')
}

function readKept(stateDir: string, stamp: string): ConfigSummary | undefined {
  const path = keptPath(stateDir)
  const text = readQuietly(path)
  if (text === undefined || ![stateDir, dirname(path), path].every(isTrusted)) return undefined
  try {
    const kept = JSON.parse(text)
    return kept.stamp === stamp ? kept.summary : undefined
  } catch {
    return undefined
  }
}

/** Whether the stamp tells of every change from now on: who is in a group is not part of it. */
function mayBeKept(configDir: string, now: number): boolean {
  return [configPath(configDir), secretsPath(configDir)].every((path) => {
    const stat = statSync(path, { throwIfNoEntry: false })
    return isTrustedIfPresent(path) && now - (stat?.ctimeMs ?? 0) > SETTLED_AFTER_MS
  })
}

/** Best effort: without it the configuration is loaded again. */
function keep(stateDir: string, stamp: string, summary: ConfigSummary) {
  if (!existsSync(stateDir)) return
  const path = keptPath(stateDir)
  try {
    makeFolders(dirname(path), 0o700)
    replaceFile(path, JSON.stringify({ stamp, summary }))
  } catch {}
}
