import type { Node } from 'jsonc-parser'
import { HookbellError } from '../errors.ts'
import { kinds } from '../event/kind.ts'
import { knownEvents } from '../event/schema.ts'
import { checkFolder, checkOwnership } from '../fs/ownership.ts'
import { readRegular } from '../fs/read.ts'
import { closest, didYouMean } from '../text/suggest.ts'
import { type Checked, fillOutline, outlineOf } from './checked.ts'
import { type Direct, parseDirect } from './direct.ts'
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
  type Parsed,
  type Route,
  secretOptionsOf,
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
  /** What can be kept of the check; absent where it used what was kept, or depends on more than files. */
  checked?: Checked
}

/** More is no configuration that a person wrote. */
export const MAX_BYTES = 1024 * 1024

export function builtInConfig(kept?: Checked): LoadedConfig {
  const checked = kept ?? { ...nothingSecret, outline: outlineOf({}, configSchema.parse({})) }
  const config = completeConfig(fillOutline(checked.outline, {}) as Parsed)
  const nothing = { secrets: [], unusable: {}, pending: {}, unset: [], sources: {}, warnings: [] }
  return { config, ...nothing, source: 'built-in', ...(!kept && { checked }) }
}

const nothingSecret = { secretOptions: {}, warnings: [] }

/**
 * Reads the user's configuration; without a file the built-in one.
 * @param env where the variables are looked up that the file lists under `env`; no others are
 * @param checked what checking the same files came to
 * @throws HookbellError E_CONFIG with `path:line:column: what is wrong`
 */
export function loadConfig(
  configDir: string,
  { env = {}, fetched, checked }: Partial<LoadOptions> = {},
): LoadedConfig {
  const path = configPath(configDir)
  const text = readRegular(path, { maxBytes: MAX_BYTES, check: checkOwnership })
  if (text === undefined) return builtInConfig(checked)
  checkFolder(configDir)
  const { values, junk } = readSecrets(configDir)
  const secrets = { file: values, env, ...(fetched && { fetched }) }
  const loaded = parseConfig(text, {
    ...{ path, secrets, templates: templateNames(configDir) },
    ...(checked && { checked }),
  })
  const warnings = [...loaded.warnings, ...junkWarnings(secretsPath(configDir), junk)]
  return { ...loaded, warnings }
}

interface LoadOptions extends Pick<SecretValues, 'env' | 'fetched'> {
  checked: Checked | undefined
}

interface Surroundings {
  /** Of the file, for errors. */
  path: string
  secrets: SecretValues
  /** What a route can name; without them any name is right. */
  templates?: readonly string[]
  /** What checking the same text and the same secrets came to. */
  checked?: Checked
}

/** @throws HookbellError E_CONFIG */
export function parseConfig(text: string, surroundings: Surroundings): LoadedConfig {
  const { path, secrets, checked } = surroundings
  const { tree, raw } = parseObject(text, path)
  const { channels, used, ...state } = expandChannels(
    withHubChannels(raw, defaultChannels),
    secrets,
  )
  const { hub, problem: hubProblem, used: usedByHub } = expandHub(raw, secrets)
  const expanded = { ...raw, ...(channels && { channels }), hub }
  const standIns = parseDirect(raw, secrets)
  const place = { ...surroundings, text, tree, raw, standIns, unusable: state.unusable }
  const result = checked
    ? (fillOutline(checked.outline, expanded) as Parsed)
    : check(expanded, place)
  const config = completeConfig(result, Object.keys(state.unusable))
  const { secretOptions, warnings } = checked ?? {
    secretOptions: secretOptionsOf(config),
    warnings: [
      ...warningsOf(raw.channels, { path, text, tree }),
      ...standIns.warnings.map((warning) => `${path}: ${warning}`),
    ],
  }
  const known = [...used, ...usedByHub, ...standIns.used]
  const values = [...secrets.file.values(), ...known, ...secretsOf(config, secretOptions)]
  const unset = [...new Set([...state.unset, ...standIns.unset])]
  const sources = { ...state.sources, ...standIns.sources }
  const { direct } = standIns
  // A stand-in for a hub is checked each time: few have one.
  const isWhole = !direct && hubProblem === undefined && isEmpty(state.unusable) && isEmpty(sources)
  const outline = !checked && isWhole ? outlineOf(expanded, result) : undefined
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
    ...(outline !== undefined && { checked: { outline, secretOptions, warnings } }),
  }
}

function isEmpty(object: object): boolean {
  return Object.keys(object).length === 0
}

interface Place extends Surroundings {
  text: string
  tree: Node
  raw: Record<string, unknown>
  unusable: object
  standIns: Direct
}

/** @throws HookbellError E_CONFIG */
function check(expanded: object, place: Place): Parsed {
  const { path, text, tree, raw, unusable, standIns, templates } = place
  // Once: to compile the schemas for it takes longer than to walk through them.
  const { success, data, error } = configSchema.safeParse(expanded, { jitless: true })
  const fault =
    standIns.fault ??
    (success
      ? (faultInHub(raw) ??
        faultInRoutes(data.routes ?? [], data.channels, unusable, templates) ??
        faultInDigest(data.digest?.to ?? [], data.channels, unusable))
      : firstFault(error.issues, expanded))
  if (success && !fault) return data
  const seen = fault ?? { path: [], what: 'not valid' }
  const { path: where, what, hint } = fault === standIns.fault ? seen : inTheFile(seen, raw)
  const field = where.length > 0 ? `${where.join('.')}: ` : ''
  const message = `${path}:${locate(text, { tree, path: where })}: ${field}${what}`
  throw new HookbellError('E_CONFIG', message, hint ? { hint } : {})
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
