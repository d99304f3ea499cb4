import {
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { HookbellError } from '../errors.ts'
import { kinds } from '../event/kind.ts'
import { knownEvents } from '../event/schema.ts'
import { checkFolder, checkOwnership } from '../fs/ownership.ts'
import { readRegular } from '../fs/read.ts'
import { splitWords } from '../text/clean.ts'
import { closest, didYouMean } from '../text/suggest.ts'
import { type Fault, firstFault } from './issue.ts'
import { INLINE_SECRET } from './last-good.ts'
import { configPath } from './paths.ts'
import { findLostKey, locate } from './position.ts'
import { stepsOf } from './route.ts'
import { type Config, completeConfig, configSchema, type Route, secretsOf } from './schema.ts'
import { expandReferences, readSecrets } from './secrets.ts'

export interface LoadedConfig {
  config: Config
  /** Values to keep out of everything that is written or sent. */
  secrets: readonly string[]
  /** Channels that cannot be used now, with the reason. */
  unusable: Readonly<Record<string, string>>
  /** The names that these channels refer to and that are set nowhere. */
  unset: readonly string[]
  /** Where the settings in force come from. */
  source: 'file' | 'last good' | 'built-in'
  /** What the file says, with its references as they are written. */
  raw?: Readonly<Record<string, unknown>>
  /** Why the file is not in force. */
  problem?: HookbellError
}

type Env = Readonly<Record<string, string | undefined>>

/** More is no configuration that a person wrote. */
const MAX_BYTES = 1024 * 1024

export function builtInConfig(): LoadedConfig {
  const config = completeConfig(configSchema.parse({}))
  return { config, secrets: [], unusable: {}, unset: [], source: 'built-in' }
}

/**
 * Reads the user's configuration; without a file the built-in one.
 * @param env where the variables are looked up that the file lists under `env`; no others are
 * @throws HookbellError E_CONFIG with `path:line:column: what is wrong`
 */
export function loadConfig(configDir: string, env: Env = {}): LoadedConfig {
  const path = configPath(configDir)
  const text = readRegular(path, { maxBytes: MAX_BYTES, check: checkOwnership })
  if (text === undefined) return builtInConfig()
  checkFolder(configDir)
  return parseConfig(text, { path, secrets: readSecrets(configDir), env })
}

/** @throws HookbellError E_CONFIG */
export function parseConfig(
  text: string,
  { path, secrets, env }: { path: string; secrets: ReadonlyMap<string, string>; env: Env },
): LoadedConfig {
  const { tree, raw } = parseObject(text, path)
  const { channels, unusable, unset, used } = expandChannels(raw, secrets, listedIn(raw, env))
  const expanded = channels ? { ...raw, channels } : raw
  const result = configSchema.safeParse(expanded)
  const fault = result.success
    ? faultInRoutes(result.data.routes ?? [], result.data.channels, unusable)
    : firstFault(result.error.issues, expanded)
  if (fault) {
    const { path: where, what, hint } = fault
    const field = where.length > 0 ? `${where.join('.')}: ` : ''
    const message = `${path}:${locate(text, { tree, path: where })}: ${field}${what}`
    throw new HookbellError('E_CONFIG', message, hint ? { hint } : {})
  }
  const config = completeConfig(
    result.data as NonNullable<typeof result.data>,
    Object.keys(unusable),
  )
  const values = [...secrets.values(), ...used, ...secretsOf(config)]
  return { config, unusable, unset, secrets: [...new Set(values)], source: 'file', raw }
}

function parseObject(text: string, path: string): { tree: Node; raw: Record<string, unknown> } {
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true })
  const [error] = errors
  const fail = (offset: number, what: string) =>
    new HookbellError('E_CONFIG', `${path}:${locate(text, offset)}: ${what}`)
  if (error) throw fail(error.offset, `not JSON: ${splitWords(printParseErrorCode(error.error))}`)
  if (tree?.type !== 'object') throw fail(0, 'not a JSON object')
  const lost = findLostKey(tree)
  if (lost) throw fail(lost.offset, lost.what)
  return { tree, raw: { ...getNodeValue(tree) } }
}

/** A route to nowhere, or for something that never happens. */
function faultInRoutes(
  routes: readonly Route[],
  channels: object,
  unusable: object,
): Fault | undefined {
  const known = [...Object.keys(channels), ...Object.keys(unusable)]
  const words = [...kinds, ...knownEvents]
  for (const [index, one] of routes.entries()) {
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

/** The values of the variables that the configuration names. */
function listedIn(raw: Record<string, unknown>, env: Env): Env {
  const names = Array.isArray(raw.env) ? raw.env.filter((name) => typeof name === 'string') : []
  const set = names.filter((name) => Object.hasOwn(env, name))
  return Object.fromEntries(set.map((name) => [name, env[name]]))
}

/** A reference that is set nowhere makes one channel unusable, not the whole file. */
function expandChannels(
  raw: Record<string, unknown>,
  secrets: ReadonlyMap<string, string>,
  env: Env,
) {
  const unusable: Record<string, string> = {}
  const used: string[] = []
  const unset = new Set<string>()
  const isObject = typeof raw.channels === 'object' && raw.channels !== null
  if (!isObject || Array.isArray(raw.channels)) return { unusable, unset: [], used }
  const channels: Record<string, unknown> = {}
  for (const [name, channel] of Object.entries(raw.channels as object)) {
    const expanded = expandReferences(channel, secrets, env)
    const { missing } = expanded
    used.push(...expanded.used)
    if (missing.length === 0) channels[name] = expanded.value
    else if (missing.includes(INLINE_SECRET))
      unusable[name] = 'waits for config.json, which has its secret'
    else {
      unusable[name] = `${missing.map((one) => `\${${one}}`).join(', ')} not set`
      for (const one of missing) unset.add(one)
    }
  }
  return { channels, unusable, unset: [...unset], used }
}
