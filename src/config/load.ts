import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { describeError, errorCode, HookbellError } from '../errors.ts'
import { locate, valueAt } from './position.ts'
import { type Config, completeConfig, configSchema } from './schema.ts'
import { expandReferences, readSecrets } from './secrets.ts'

export interface LoadedConfig {
  config: Config
  /** Values to keep out of everything that is written or sent. */
  secrets: readonly string[]
  /** Channels that cannot be used now, with the reason. */
  unusable: Readonly<Record<string, string>>
  /** Where the settings in force come from. */
  source: 'file' | 'last good file' | 'built-in'
  /** Why the file is not in force. */
  problem?: HookbellError
}

type Env = Readonly<Record<string, string | undefined>>

export function configPath(configDir: string): string {
  return join(configDir, 'config.json')
}

/** Changes whenever the configuration may have; cheap enough to ask per event. */
export function configStamp(configDir: string): string {
  return ['config.json', 'secrets.env']
    .map((name) => {
      const stat = statSync(join(configDir, name), { throwIfNoEntry: false })
      return stat ? `${stat.ino}-${stat.size}-${stat.mtimeMs}` : ''
    })
    .join(' ')
}

export function builtInConfig(): LoadedConfig {
  const config = completeConfig(configSchema.parse({}))
  return { config, secrets: [], unusable: {}, source: 'built-in' }
}

/**
 * Reads the user's configuration; without a file the built-in one.
 * @throws HookbellError E_CONFIG with `path:line:column: what is wrong`
 */
export function loadConfig(configDir: string, env: Env = process.env): LoadedConfig {
  const path = configPath(configDir)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return builtInConfig()
    throw new HookbellError('E_CONFIG', `${path}: ${describeError(error)}`, { cause: error })
  }
  return parseConfig(text, { path, secrets: readSecrets(configDir), env })
}

/** @throws HookbellError E_CONFIG */
export function parseConfig(
  text: string,
  { path, secrets, env }: { path: string; secrets: Record<string, string>; env: Env },
): LoadedConfig {
  const fail = (where: readonly PropertyKey[], what: string, hint?: string): never => {
    const field = where.length > 0 ? `${where.join('.')}: ` : ''
    const message = `${path}:${locate(text, where)}: ${field}${what}`
    throw new HookbellError('E_CONFIG', message, hint ? { hint } : {})
  }
  const raw = parseObject(text, path)
  const { channels, unusable, used } = expandChannels(raw, secrets, env)
  const result = configSchema.safeParse(channels ? { ...raw, channels } : raw)
  if (!result.success) {
    const issue = result.error.issues[0]
    return fail(issue?.path ?? [], issue?.message ?? 'not valid')
  }
  const config = completeConfig({ ...result.data })
  const known = [...Object.keys(config.channels), ...Object.keys(unusable)]
  for (const [index, route] of config.routes.entries()) {
    for (const [at, name] of route.to.entries()) {
      if (known.includes(name)) continue
      fail(['routes', index, 'to', at], `unknown channel "${name}"`, `Known: ${known.join(', ')}`)
    }
  }
  return { config, unusable, secrets: [...Object.values(secrets), ...used], source: 'file' }
}

function parseObject(text: string, path: string): Record<string, unknown> {
  const errors: ParseError[] = []
  const tree = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true })
  const [error] = errors
  if (error) {
    const what = printParseErrorCode(error.error)
    throw new HookbellError('E_CONFIG', `${path}:${locate(text, error.offset)}: not JSON: ${what}`)
  }
  if (tree?.type !== 'object') throw new HookbellError('E_CONFIG', `${path}:1:1: not a JSON object`)
  return valueAt(tree)
}

/** A reference that is set nowhere makes one channel unusable, not the whole file. */
function expandChannels(raw: Record<string, unknown>, secrets: Record<string, string>, env: Env) {
  const unusable: Record<string, string> = {}
  const used: string[] = []
  if (typeof raw.channels !== 'object' || raw.channels === null) return { unusable, used }
  const channels: Record<string, unknown> = {}
  for (const [name, channel] of Object.entries(raw.channels)) {
    const expanded = expandReferences(channel, secrets, env)
    used.push(...expanded.used)
    if (expanded.missing.length > 0) {
      unusable[name] = `${expanded.missing.map((missing) => `\${${missing}}`).join(', ')} not set`
    } else channels[name] = expanded.value
  }
  return { channels, unusable, used }
}
