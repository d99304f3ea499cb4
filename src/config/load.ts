import { HookbellError } from '../errors.ts'
import { kinds } from '../event/kind.ts'
import { knownEvents } from '../event/schema.ts'
import { checkFolder, checkOwnership } from '../fs/ownership.ts'
import { readRegular } from '../fs/read.ts'
import { closest, didYouMean } from '../text/suggest.ts'
import { parseDirect } from './direct.ts'
import { type Expanded, expandChannels, type SecretValues } from './expand.ts'
import { expandHub, faultInHub, inTheFile, withHubChannels } from './hub.ts'
import { type Fault, firstFault } from './issue.ts'
import { parseObject } from './parse-object.ts'
import { configPath, secretsPath } from './paths.ts'
import { locate } from './position.ts'
import {
  type Channel,
  type Config,
  completeConfig,
  configSchema,
  defaultChannels,
  type Route,
  secretsOf,
} from './schema.ts'
import { readSecrets } from './secrets.ts'
import { stepsOf } from './steps.ts'
import { templateNames } from './template-names.ts'
import { junkWarnings, warningsOf } from './warnings.ts'

export interface LoadedConfig {
  config: Config
  /** Values to keep out of everything that is written or sent. */
  secrets: readonly string[]
  /** Channels that cannot be used now, with the reason. */
  unusable: Readonly<Record<string, string>>
  /** Of these the ones that only wait until their secrets are fetched: their types. */
  pending: Readonly<Record<string, string>>
  /** Channels of this machine that stand in for channels of the hub, by the names of those. */
  direct?: Readonly<Record<string, Channel>>
  /** Why the hub cannot be used now. */
  hubProblem?: string
  /** The names that these channels refer to and that are set nowhere. */
  unset: readonly string[]
  /** Where the names come from that channels refer to and that stand in no file. */
  sources: Expanded['sources']
  /** What is valid and yet hardly what was meant. */
  warnings: readonly string[]
  /** Where the settings in force come from. */
  source: 'file' | 'last good' | 'built-in'
  /** What the file says, with its references as they are written. */
  raw?: Readonly<Record<string, unknown>>
  /** Why the file is not in force. */
  problem?: HookbellError
}

/** More is no configuration that a person wrote. */
export const MAX_BYTES = 1024 * 1024

export function builtInConfig(): LoadedConfig {
  const config = completeConfig(configSchema.parse({}))
  const nothing = { secrets: [], unusable: {}, pending: {}, unset: [], sources: {}, warnings: [] }
  return { config, ...nothing, source: 'built-in' }
}

/**
 * Reads the user's configuration; without a file the built-in one.
 * @param env where the variables are looked up that the file lists under `env`; no others are
 * @throws HookbellError E_CONFIG with `path:line:column: what is wrong`
 */
export function loadConfig(
  configDir: string,
  { env = {}, fetched }: Partial<Pick<SecretValues, 'env' | 'fetched'>> = {},
): LoadedConfig {
  const path = configPath(configDir)
  const text = readRegular(path, { maxBytes: MAX_BYTES, check: checkOwnership })
  if (text === undefined) return builtInConfig()
  checkFolder(configDir)
  const { values, junk } = readSecrets(configDir)
  const secrets = { file: values, env, ...(fetched && { fetched }) }
  const loaded = parseConfig(text, { path, secrets, templates: templateNames(configDir) })
  const warnings = [...loaded.warnings, ...junkWarnings(secretsPath(configDir), junk)]
  return { ...loaded, warnings }
}

interface Surroundings {
  /** Of the file, for errors. */
  path: string
  secrets: SecretValues
  /** What a route can name; without them any name is right. */
  templates?: readonly string[]
}

/** @throws HookbellError E_CONFIG */
export function parseConfig(
  text: string,
  { path, secrets, templates }: Surroundings,
): LoadedConfig {
  const { tree, raw } = parseObject(text, path)
  const { channels, used, ...state } = expandChannels(
    withHubChannels(raw, defaultChannels),
    secrets,
  )
  const { hub, problem: hubProblem, used: usedByHub } = expandHub(raw, secrets)
  const expanded = { ...raw, ...(channels && { channels }), hub }
  // Once: to compile the schemas for it takes longer than to walk through them.
  const result = configSchema.safeParse(expanded, { jitless: true })
  const standIns = parseDirect(raw, secrets)
  const fault =
    standIns.fault ??
    (result.success
      ? (faultInHub(raw) ??
        faultInRoutes(result.data.routes ?? [], result.data.channels, state.unusable, templates) ??
        faultInDigest(result.data.digest?.to ?? [], result.data.channels, state.unusable))
      : firstFault(result.error.issues, expanded))
  if (fault) {
    const { path: where, what, hint } = fault === standIns.fault ? fault : inTheFile(fault, raw)
    const field = where.length > 0 ? `${where.join('.')}: ` : ''
    const message = `${path}:${locate(text, { tree, path: where })}: ${field}${what}`
    throw new HookbellError('E_CONFIG', message, hint ? { hint } : {})
  }
  const config = completeConfig(
    result.data as NonNullable<typeof result.data>,
    Object.keys(state.unusable),
  )
  const known = [...used, ...usedByHub, ...standIns.used]
  const values = [...secrets.file.values(), ...known, ...secretsOf(config)]
  const warnings = [
    ...warningsOf(raw.channels, { path, text, tree }),
    ...standIns.warnings.map((warning) => `${path}: ${warning}`),
  ]
  const unset = [...new Set([...state.unset, ...standIns.unset])]
  const sources = { ...state.sources, ...standIns.sources }
  const { direct } = standIns
  return {
    ...{
      config,
      ...state,
      unset,
      sources,
      ...(direct && { direct }),
      warnings,
      secrets: [...new Set(values)],
      source: 'file',
      raw,
    },
    ...(hubProblem !== undefined && { hubProblem }),
  }
}

/** A route to nowhere, or for something that never happens. */
function faultInRoutes(
  routes: readonly Route[],
  channels: object,
  unusable: object,
  templates?: readonly string[],
): Fault | undefined {
  const known = [...Object.keys(channels), ...Object.keys(unusable)]
  const words = [...kinds, ...knownEvents]
  for (const [index, one] of routes.entries()) {
    const { template } = one
    if (template !== undefined && templates && !templates.includes(template)) {
      const what = `no template "${template}": there is no templates/plain/${template}.liquid`
      const hint = templates.length > 0 ? didYouMean(template, templates) : 'Write that file'
      return { path: ['routes', index, 'template'], what, hint }
    }
    for (const [where, step] of stepsOf(one).entries()) {
      const path = ['routes', index, ...(one.steps ? ['steps', where] : []), 'to']
      for (const [at, name] of step.to.entries()) {
        if (known.includes(name)) continue
        const hint = didYouMean(name, known)
        return { path: [...path, at], what: `unknown channel "${name}"`, hint }
      }
    }
    for (const [at, word] of one.on.entries()) {
      // Any other name may be an event of a client that we do not know.
      const meant = word === '*' || words.includes(word) ? undefined : closest(word, words)
      if (!meant) continue
      const what = `no event or kind is called "${word}"`
      return { path: ['routes', index, 'on', at], what, hint: `Did you mean "${meant}"?` }
    }
  }
  return undefined
}

function faultInDigest(to: readonly string[], channels: object, unusable: object) {
  const known = [...Object.keys(channels), ...Object.keys(unusable)]
  const at = to.findIndex((name) => !known.includes(name))
  if (at < 0) return undefined
  const hint = didYouMean(to[at] ?? '', known)
  return { path: ['digest', 'to', at], what: `unknown channel "${to[at]}"`, hint }
}
