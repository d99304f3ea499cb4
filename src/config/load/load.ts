import type { Node } from 'jsonc-parser'
import { HookbellError } from '../../errors.ts'
import { kinds } from '../../event/kind.ts'
import { knownEvents } from '../../event/schema.ts'
import { checkFolder } from '../../fs/ownership.ts'
import { closest, didYouMean } from '../../text/suggest.ts'
import { valueAt } from '../../text/zod-issue.ts'
import { type Checked, fillOutline, outlineOf } from '../checked.ts'
import { readConfigText } from '../config-file.ts'
import { configPath, secretsPath } from '../paths.ts'
import type { Channel } from '../schema/channel.ts'
import {
  type Config,
  completeConfig,
  configSchema,
  defaultChannels,
  type Parsed,
  type Route,
  secretOptionsOf,
  secretsOf,
} from '../schema/schema.ts'
import { stepsOf } from '../schema/steps.ts'
import { readSecrets, referencesIn } from '../secrets/secrets.ts'
import { templateNames } from '../template-names.ts'
import { type Direct, parseDirect } from './direct.ts'
import { type Expanded, expandChannels, type SecretValues } from './expand.ts'
import { expandHub, faultInHub, withHubChannels, withPathInFile } from './hub.ts'
import { type Fault, firstFault } from './issue.ts'
import { parseObject } from './parse-object.ts'
import { locate } from './position.ts'
import { kindMeantBy, routeWarnings } from './route-warnings.ts'
import { faultInWaiting, waitingRules } from './waiting.ts'
import { junkWarnings, warningsOf } from './warnings.ts'

export interface LoadedConfig {
  config: Config
  /** Values to keep out of everything that is written or sent. */
  secrets: readonly string[]
  /** Channels that cannot be used now, with the reason. */
  unusable: Readonly<Record<string, string>>
  /** The types of those unusable channels that only wait until their secrets are fetched, by name. */
  pending: Readonly<Record<string, string>>
  /** Channels of this machine that deliver what the hub does not take, by the names of the hub's channels. */
  direct?: Readonly<Record<string, Channel>>
  /** Those that cannot be used now, with the reason. Absent if there are none. */
  unusableDirect?: Readonly<Record<string, string>>
  /** Why the hub cannot be used now. */
  hubProblem?: string
  /** The names that these channels refer to and that are set nowhere. */
  unset: readonly string[]
  /** The command or keychain for each name that channels refer to and that no file sets. */
  sources: Expanded['sources']
  /** Settings that are valid but probably not what was meant. */
  warnings: readonly string[]
  /** Where the settings in force come from. */
  source: 'file' | 'last good' | 'built-in'
  /** The content of the file, with references that are not filled in. */
  raw?: Readonly<Record<string, unknown>>
  /** Why the file is not in force. */
  problem?: HookbellError
  /** The validation to cache; absent if it came from the cache, or depends on more than files. */
  checked?: Checked
}

export function builtInConfig(kept?: Checked): LoadedConfig {
  const checked = kept ?? { ...nothingSecret, outline: outlineOf({}, configSchema.parse({})) }
  const config = completeConfig(fillOutline(checked.outline, {}) as Parsed)
  const nothing = { secrets: [], unusable: {}, pending: {}, unset: [], sources: {}, warnings: [] }
  return { config, ...nothing, source: 'built-in', ...(!kept && { checked }) }
}

const nothingSecret = { secretOptions: {}, warnings: [] }

/**
 * Reads the user's configuration; without a file the built-in one.
 * @param env values of variables; only those that the file lists under `env` are used
 * @param checked the cached validation of the same files
 * @throws HookbellError E_CONFIG with `path:line:column: what is wrong`
 */
export function loadConfig(
  configDir: string,
  { env = {}, fetched, checked }: Partial<LoadOptions> = {},
): LoadedConfig {
  const path = configPath(configDir)
  const text = readConfigText(path)
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

interface ParseContext {
  /** The file's path, for error messages. */
  path: string
  secrets: SecretValues
  /** Templates that a route can name; if absent, any name is accepted. */
  templates?: readonly string[]
  /** The cached validation of the same text and the same secrets. */
  checked?: Checked
}

/** @throws HookbellError E_CONFIG */
export function parseConfig(text: string, context: ParseContext): LoadedConfig {
  const { path, secrets, checked } = context
  const { tree, raw } = parseObject(text, path)
  const { channels, waiting, used, ...state } = expandChannels(
    withHubChannels(raw, defaultChannels),
    secrets,
  )
  const { hub, problem: hubProblem, used: usedByHub } = expandHub(raw, secrets)
  const expanded = { ...raw, ...(channels && { channels }), hub }
  const standIns = parseDirect(raw, secrets)
  const checkContext = { ...context, text, tree, raw, standIns, waiting }
  const result = checked
    ? (fillOutline(checked.outline, expanded) as Parsed)
    : check(expanded, checkContext)
  const config = completeConfig(result, waitingRules(waiting))
  const { secretOptions, warnings } = checked ?? {
    secretOptions: secretOptionsOf(config),
    warnings: [
      ...warningsOf(raw.channels, { path, text, tree }),
      ...routeWarnings(raw.routes, { path, text, tree }),
    ],
  }
  const known = [...used, ...usedByHub, ...standIns.used]
  const values = [...secrets.file.values(), ...known, ...secretsOf(config, secretOptions)]
  const unset = [...new Set([...state.unset, ...standIns.unset])]
  const sources = { ...state.sources, ...standIns.sources }
  const { direct, unusable: unusableDirect } = standIns
  // A configuration with stand-ins for a hub is rare, so it is validated each time.
  const isWhole = !direct && hubProblem === undefined && isEmpty(state.unusable) && isEmpty(sources)
  const outline = !checked && isWhole ? outlineOf(expanded, result) : undefined
  return {
    ...{
      config,
      ...state,
      unset,
      sources,
      ...(direct && { direct }),
      ...(!isEmpty(unusableDirect) && { unusableDirect }),
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

interface CheckContext extends ParseContext {
  text: string
  tree: Node
  raw: Record<string, unknown>
  waiting: Readonly<Record<string, unknown>>
  standIns: Direct
}

/** @throws HookbellError E_CONFIG */
function check(expanded: object, context: CheckContext): Parsed {
  const { path, text, tree, raw, waiting, standIns, templates } = context
  // `jitless`: for a single run, compiling the schemas takes longer than interpreting them.
  const { success, data, error } = configSchema.safeParse(expanded, { jitless: true })
  const fault =
    standIns.fault ??
    (success
      ? (faultInHub(raw) ??
        faultInWaiting(waiting) ??
        faultInRoutes(data.routes ?? [], data.channels, waiting, templates) ??
        faultInDigest(data.digest?.to ?? [], data.channels, waiting))
      : firstFault(error.issues, expanded))
  if (success && !fault) return data
  const seen = fault ?? { path: [], what: 'not valid' }
  const { path: where, what, ...own } = fault === standIns.fault ? seen : withPathInFile(seen, raw)
  const field = where.length > 0 ? `${where.join('.')}: ` : ''
  const [reference] = referencesIn(valueAt(raw, where))
  const value = reference === undefined ? '' : ` (with the value of \${${reference}})`
  const message = `${path}:${locate(text, { tree, path: where })}: ${field}${what}${value}`
  const hint =
    reference === undefined ? own.hint : `Set it again: hookbell secrets set ${reference}`
  throw new HookbellError('E_CONFIG', message, hint ? { hint } : {})
}

/** Finds a route to an unknown channel, with an unknown template, or for a misspelt event. */
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
      return {
        path: ['routes', index, 'on', at],
        what,
        hint: `Did you mean "${kindMeantBy(word) ?? meant}"?`,
      }
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
