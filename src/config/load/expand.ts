import type { Env } from '../../fs/home.ts'
import { INLINE_SECRET } from '../last-good.ts'
import { expandReferences } from '../secrets/secrets.ts'
import { describeSource, type SecretSource, sourcesIn } from '../secrets/source.ts'

/** Where the references of a configuration are looked up. `file` takes precedence. */
export interface SecretValues {
  file: ReadonlyMap<string, string>
  env: Env
  /** What was fetched from commands and the keychain. */
  fetched?: Fetched | undefined
}

interface Fetched {
  valueOf(name: string, source: SecretSource): string | undefined
  failureOf(name: string, source: SecretSource): string | undefined
}

export interface Expanded {
  channels?: Record<string, unknown>
  /** Channels that cannot be used now. */
  unusable: Record<string, Unusable>
  /** Names that are set nowhere, once for each channel. */
  unset: string[]
  /** The command or keychain for each name that channels refer to and that no file sets. */
  sources: Record<string, SecretSource>
  /** Values that were filled in. */
  used: string[]
}

export interface Unusable {
  state: 'waiting' | 'broken'
  why: string
  /** The channel with the references filled in that are known. */
  value: unknown
}

/** Fills in the references. One that is set nowhere makes its channel unusable, not the whole file. */
export function expandChannels(raw: Record<string, unknown>, values: SecretValues): Expanded {
  const expanded: Expanded = { unusable: {}, unset: [], sources: {}, used: [] }
  const isObject = typeof raw.channels === 'object' && raw.channels !== null
  if (!isObject || Array.isArray(raw.channels)) return expanded
  const { file, fetched } = values
  const known = sourcesIn(raw.secrets)
  const env = listedIn(raw, values.env)
  const sourceOf = (name: string) =>
    Object.hasOwn(known, name) && !file.has(name) ? known[name] : undefined
  const find = (name: string) => {
    const source = sourceOf(name)
    if (source === undefined)
      return file.get(name) ?? (Object.hasOwn(env, name) ? env[name] : undefined)
    expanded.sources[name] = source
    return fetched?.valueOf(name, source)
  }
  expanded.channels = {}
  for (const [name, channel] of Object.entries(raw.channels as object)) {
    const { value, missing, used } = expandReferences(channel, find)
    expanded.used.push(...used)
    if (typeof channel !== 'object') expanded.channels[name] = channel
    else if (missing.length === 0) expanded.channels[name] = value
    else {
      const nowhere = missing.filter((one) => sourceOf(one) === undefined)
      if (!missing.includes(INLINE_SECRET)) expanded.unset.push(...nowhere)
      expanded.unusable[name] = { value, ...whyUnusable({ missing, nowhere, sourceOf, fetched }) }
    }
  }
  return expanded
}

interface Lookup {
  missing: readonly string[]
  /** Those of them that are set nowhere. */
  nowhere: readonly string[]
  sourceOf(name: string): SecretSource | undefined
  fetched: Fetched | undefined
}

function whyUnusable({ missing, nowhere, sourceOf, fetched }: Lookup): Omit<Unusable, 'value'> {
  const state = 'broken'
  if (missing.includes(INLINE_SECRET))
    return { state, why: 'waits for config.json, which has its secret' }
  if (nowhere.length > 0)
    return { state, why: `${nowhere.map((one) => `\${${one}}`).join(', ')} not set` }
  const reasons = missing.map((one) => {
    const source = sourceOf(one) as SecretSource
    const failure = fetched?.failureOf(one, source)
    const text = failure ?? `waits for ${describeSource(source)}`
    return { isFailed: failure !== undefined, text: `\${${one}}: ${text}` }
  })
  const isFailed = reasons.some((one) => one.isFailed)
  return { state: isFailed ? state : 'waiting', why: reasons.map(({ text }) => text).join(', ') }
}

/** The values of the variables that the configuration names. */
function listedIn(raw: Record<string, unknown>, env: Env): Env {
  const names = Array.isArray(raw.env) ? raw.env.filter((name) => typeof name === 'string') : []
  const set = names.filter((name) => Object.hasOwn(env, name))
  return Object.fromEntries(set.map((name) => [name, env[name]]))
}
