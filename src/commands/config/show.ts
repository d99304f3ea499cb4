import { parseTree } from 'jsonc-parser'
import { paint, printJson, say, table } from '../../cli/output.ts'
import { CurrentConfig } from '../../config/current.ts'
import type { LoadedConfig } from '../../config/load/load.ts'
import { locate } from '../../config/load/position.ts'
import { configDir, configPath, stateDir } from '../../config/paths.ts'
import { isSecretOption } from '../../config/schema/secret-options.ts'
import { type ProjectRules, projectRules } from '../../context/project-rules.ts'
import { kinds } from '../../event/event.ts'
import { absolute, homeDir } from '../../fs/home.ts'
import { readQuietly } from '../../fs/read.ts'
import { isObject } from '../../is-object.ts'
import { cleanText, showPath } from '../../text/clean.ts'
import { redact } from '../../text/redact/redact.ts'
import { valueAt } from '../../text/zod-issue.ts'

/** One setting in force. */
interface Row {
  setting: string
  value: unknown
  from: string
}

type Path = readonly string[]
type Channels = Readonly<Record<string, { type?: string }>>

/** Prints every setting and where its value comes from; of a secret only the reference. @returns 1 for a broken file */
export async function showConfig(json: boolean): Promise<number> {
  const loaded = new CurrentConfig(configDir(), stateDir()).get()
  const project = await projectRules(process.cwd(), { home: homeDir(), stateDir: stateDir() })
  const rows = [...rowsOf(loaded), ...(project ? projectRows(project, loaded) : [])]
  if (json) printJson({ path: configPath(configDir()), source: loaded.source, settings: rows })
  else say([heading(loaded), table(rows.map(inWords))].join('\n'))
  return loaded.problem ? 1 : 0
}

function heading({ source, problem }: LoadedConfig): string {
  const path = showPath(configPath(configDir()))
  const found = source === 'file' ? path : `${path} (${source} settings)`
  const where = `${found}${whyThere(process.env.HOOKBELL_CONFIG_DIR)}`
  return problem ? `${where}\n${paint('red', 'x')} ${cleanText(problem.message)}` : where
}

function whyThere(named: string | undefined): string {
  if (!named) return ''
  return absolute(named)
    ? ', by HOOKBELL_CONFIG_DIR'
    : ', because HOOKBELL_CONFIG_DIR is not an absolute path'
}

function rowsOf(loaded: LoadedConfig): Row[] {
  const { config, raw = {}, secrets, source } = loaded
  const { hasOwnReasons: _, ...settings } = config
  const places = placesIn(source === 'file' ? readQuietly(configPath(configDir())) : undefined)
  const channels = withDefaults(Object(raw.channels), knownOf(config))
  return leaves({ ...settings, channels, ...pick(raw, 'secrets') }).map(({ path, value }) => {
    const isOwn = valueAt(raw, path) !== undefined
    const from = isOwn ? (source === 'file' ? `line ${places(path)}` : source) : 'default'
    const shown = isSecret(path, raw) ? hidden(value) : value
    return { setting: path.join('.'), value: redacted(shown, secrets), from }
  })
}

/** The channels with their options, also those that cannot be used yet. */
function knownOf({ channels }: LoadedConfig['config']): Channels {
  const all = Object.entries(channels).map(([name, { standIn: _, ...one }]) => {
    const { state: _state, why: _why, ...known } = one
    return [name, known]
  })
  return Object.fromEntries(all)
}

/** Channels as the file has them, with unresolved references, also those that cannot be used yet; and their defaults. */
function withDefaults(written: Channels, known: Channels): Channels {
  const channels = Object.entries(written).map(([name, channel]) => {
    // A channel of the hub has other options than the local channel of the same name that bypasses the hub.
    const { type, ...options } = known[name] ?? {}
    return [name, type === channel.type ? { ...channel, ...options, ...channel } : channel]
  })
  return { ...known, ...Object.fromEntries(channels) }
}

/** What the .hookbell.json of the current project adds, for its own events. */
function projectRows(project: ProjectRules, { config: { noise } }: LoadedConfig): Row[] {
  const from = `${project.root}/.hookbell.json (${project.trust})`
  const raised = (['minSeconds', 'cooldownSeconds'] as const)
    .filter((name) => project[name] > noise[name])
    .map((name) => ({ setting: `noise.${name} here`, value: project[name], from }))
  const muted = kinds.filter((kind) => project.isMuted(kind))
  return [
    ...raised,
    ...(muted.length > 0 ? [{ setting: 'muted here', value: muted, from }] : []),
    ...(project.label ? [{ setting: 'name here', value: project.label, from }] : []),
    ...project.ignored.map((value) => ({ setting: 'does not count', value, from })),
  ]
}

function inWords({ setting, value, from }: Row): string[] {
  // The value comes last, and of a project's file only the name: long ones would push the others off the screen.
  const place = showPath(from).replace(/^.*(?=\.hookbell\.json \()/, '')
  return [setting, paint('dim', place), cleanText(JSON.stringify(value))]
}

/** Flattens nested objects; a list counts as one value. */
function leaves(value: unknown, path: Path = []): { path: Path; value: unknown }[] {
  if (!isObject(value) || (path.length > 0 && Object.keys(value).length === 0)) {
    return value === undefined ? [] : [{ path, value }]
  }
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]))
}

function placesIn(text: string | undefined): (path: Path) => string {
  const tree = text === undefined ? undefined : parseTree(text)
  if (text === undefined || !tree) return () => '?'
  return (path) => locate(text, { tree, path }).split(':')[0] ?? '?'
}

function isSecret([section, channel = '', option = '']: Path, raw: object): boolean {
  if (section !== 'channels') return false
  const type = valueAt(raw, ['channels', channel, 'type'])
  return isSecretOption(String(type), option)
}

/** A bare reference reveals nothing; any other text may be the secret itself. */
function hidden(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return value
  return typeof value === 'string' && /^\$\{[A-Za-z_]\w*\}$/.test(value) ? value : '[redacted]'
}

function redacted(value: unknown, secrets: readonly string[]): unknown {
  const text = JSON.stringify(value)
  const clean = redact(text, secrets)
  if (clean === text) return value
  try {
    return JSON.parse(clean)
  } catch {
    return '[redacted]'
  }
}

function pick(raw: Readonly<Record<string, unknown>>, name: string) {
  return raw[name] === undefined ? {} : { [name]: raw[name] }
}
