import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { HookbellError } from '../../errors.ts'
import { checkFolder } from '../../fs/ownership.ts'
import { isObject } from '../../is-object.ts'
import type { GivenNotifiers } from '../../notifiers/index.ts'
import { asText, issueInWords, valueAt } from '../../text/zod-issue.ts'
import type { Channel } from '../channels.ts'
import { type Checked, fillOutline, outlineOf } from '../config-cache.ts'
import { readConfigText } from '../config-file.ts'
import { configPath, misnamedPath, secretsPath } from '../paths.ts'
import type { ChannelRules } from '../schema/channel.ts'
import { type Config, completeConfig, configSchema, type Parsed } from '../schema/schema.ts'
import { secretOptionsOf, secretsOf } from '../schema/secret-options.ts'
import { readSecrets, valuesToRedact } from '../secrets/secrets.ts'
import { templateNames } from '../template-names.ts'
import { check, type Source } from './check.ts'
import type { Expanded, SecretValues } from './expand.ts'
import { type Filled, fillIn, unusableChannels } from './fill.ts'
import { UNKNOWN_KEY } from './issue.ts'
import { withModules } from './modules.ts'
import { parseObject } from './parse-object.ts'
import { messageAt } from './position.ts'
import { junkWarnings, quietHoursWarnings, routeWarnings, warningsOf } from './warnings.ts'

export interface LoadedConfig {
  config: Config
  /** Values to keep out of everything that is written or sent. */
  secrets: readonly string[]
  /** Why the hub cannot be used now. */
  hubProblem?: string
  /** The names that channels refer to and that are set nowhere. */
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
  const nothing = { secrets: [], unset: [], sources: {}, warnings: [] }
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
  { env = {}, fetched, checked, given }: Partial<LoadOptions> = {},
): LoadedConfig {
  const path = configPath(configDir)
  checkFolder(configDir)
  const text = readConfigText(path)
  if (text === undefined) {
    const secrets = valuesToRedact(configDir)
    return { ...builtInConfig(checked), secrets, warnings: misnamed(path) }
  }
  const { values, junk } = readSecrets(configDir)
  const secrets = { file: values, env, fetched }
  const templates = templateNames(configDir)
  const loaded = parseConfig(text, { path, secrets, templates, checked, given })
  const warnings = [...loaded.warnings, ...junkWarnings(secretsPath(configDir), junk)]
  return { ...loaded, warnings }
}

function misnamed(path: string): string[] {
  const other = misnamedPath(path)
  return existsSync(other) ? [`${other}: is not read; rename it to config.json`] : []
}

interface LoadOptions extends Pick<SecretValues, 'env' | 'fetched'> {
  checked: Checked | undefined
  given: GivenNotifiers | undefined
}

interface ParseContext {
  /** The file's path, for error messages. */
  path: string
  secrets: SecretValues
  /** Templates that a route can name; if absent, any name is accepted. */
  templates?: readonly string[]
  /** The cached validation of the same text and the same secrets. */
  checked?: Checked | undefined
  /** Whether it was in force before, so that it need not satisfy rules that are new. */
  isLastGood?: boolean
  /** Notifiers that the program itself brings along. */
  given?: GivenNotifiers | undefined
}

/** @throws HookbellError E_CONFIG */
export function parseConfig(text: string, context: ParseContext): LoadedConfig {
  const { path, secrets, templates, checked, isLastGood, given = {} } = context
  const { tree, raw } = parseObject(text, path)
  const source = { path, text, tree, templates, isLastGood, raw }
  const filled = fillIn(withModules(withPlaceholders(raw, given), dirname(path)), secrets)
  const { unset, sources, hubProblem } = filled
  const parsed = checked
    ? (fillOutline(checked.outline, filled.settings) as Parsed)
    : check(filled, source)
  const complete = completeConfig(parsed, unusableChannels(filled.unusable), filled.standIns)
  const config = context.given ? withGiven(complete, source, given) : complete
  const { secretOptions, warnings } = checked ?? {
    secretOptions: secretOptionsOf({ ...config, hub: parsed.hub }),
    warnings: [
      ...warningsOf(source.raw.channels, source),
      ...routeWarnings(source.raw.routes, source),
      ...quietHoursWarnings(config.noise, source),
    ],
  }
  const values = [
    ...secrets.file.values(),
    ...filled.used,
    ...secretsOf({ ...config, hub: parsed.hub }, secretOptions),
  ]
  const outline = !checked && isWhole(filled) ? outlineOf(filled.settings, parsed) : undefined
  return {
    config,
    ...{ unset, sources },
    ...(hubProblem !== undefined && { hubProblem }),
    warnings,
    secrets: [...new Set(values)],
    source: 'file',
    raw: source.raw,
    ...(outline !== undefined && { checked: { outline, secretOptions, warnings } }),
  }
}

/** Whether its validation can be cached. One with stand-ins for a hub is rare, so it is validated each time. */
function isWhole({ standIns, hubProblem, unusable, sources }: Filled): boolean {
  const isEmpty = (some: object) => Object.keys(some).length === 0
  return hubProblem === undefined && [standIns, unusable, sources].every(isEmpty)
}

// Notifiers that a program brings along. The schema of the configuration does not know them, so each of their channels is
// validated as a module first, with everything else in the file, and then by its own notifier.

type Raw = Readonly<Record<string, unknown>>

function withPlaceholders(raw: Raw, given: GivenNotifiers): Raw {
  if (!isObject(raw.channels)) return raw
  const channels = Object.entries(raw.channels).map(([name, channel]) => {
    if (!isObject(channel) || !Object.hasOwn(given, asText(channel.type))) return [name, channel]
    const { type: _, noise, clearance, ...options } = channel
    return [
      name,
      {
        ...{ type: 'module', file: '/', options },
        ...(noise !== undefined && { noise }),
        ...(clearance !== undefined && { clearance }),
      },
    ]
  })
  return { ...raw, channels: Object.fromEntries(channels) }
}

/** @throws HookbellError E_CONFIG for options that a notifier does not accept */
function withGiven(config: Config, source: Source, given: GivenNotifiers): Config {
  const typeOf = (name: string) => asText(valueAt(source.raw, ['channels', name, 'type']))
  const isGiven = ([name]: readonly [string, unknown]) => Object.hasOwn(given, typeOf(name))
  const rulesOf = (name: string, { noise, clearance }: ChannelRules): ChannelRules => {
    const isSet = valueAt(source.raw, ['channels', name, 'clearance']) !== undefined
    const usual = given[typeOf(name)]?.leavesMachine ? 'summary' : 'full'
    return { type: typeOf(name), noise, clearance: isSet ? clearance : usual }
  }
  const channels = Object.entries(config.channels)
    .filter(isGiven)
    .map(([name, channel]) => {
      const rules = rulesOf(name, channel)
      // One that cannot be used now has no options.
      if (channel.state !== undefined) return [name, { ...channel, ...rules }] as const
      const options = parseOptions(name, Object(channel).options, source, given[typeOf(name)])
      return [name, { ...options, ...rules } as Channel] as const
    })
  return { ...config, channels: { ...config.channels, ...Object.fromEntries(channels) }, given }
}

function parseOptions(
  name: string,
  options: unknown,
  source: Source,
  notifier: GivenNotifiers[string] | undefined,
): object | undefined {
  const { data, error } = notifier?.options.safeParse(options) ?? {}
  const [issue] = error?.issues ?? []
  if (!issue) return data
  const extra = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const what = extra.length > 0 ? UNKNOWN_KEY : issueInWords(issue, valueAt(options, issue.path))
  const path = ['channels', name, ...issue.path, ...extra]
  throw new HookbellError('E_CONFIG', messageAt(source, path, what))
}
