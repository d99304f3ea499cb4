import { HookbellError } from '../../errors.ts'
import { didYouMean } from '../../text/suggest.ts'
import { valueAt } from '../../text/zod-issue.ts'
import { answers } from '../schema/answers.ts'
import { digest } from '../schema/noise.ts'
import { route } from '../schema/route.ts'
import { type Config, configSchema, type Parsed, type Route } from '../schema/schema.ts'
import { stepsOf } from '../schema/steps.ts'
import { referencesIn } from '../secrets/secrets.ts'
import { describeSource, KEYCHAIN } from '../secrets/source.ts'
import { type Filled, faultsInUnusable } from './fill.ts'
import { faultInHub, withPathInFile } from './hub.ts'
import { type Fault, faultsOf, UNKNOWN_KEY } from './issue.ts'
import { messageAt, offsetOf, type Place } from './position.ts'

/** A configuration as it was read. */
export interface Source extends Place {
  raw: Record<string, unknown>
  /** Templates that a route can name; if absent, any name is accepted. */
  templates?: readonly string[] | undefined
  /** Whether it was in force before. An earlier version may have accepted it, so rules that are new do not apply. */
  isLastGood?: boolean | undefined
}

/** Validates a configuration whose references are filled in. @throws HookbellError E_CONFIG */
export function check(filled: Filled, source: Source): Parsed {
  const { faultsInStandIns } = filled
  if (faultsInStandIns.length > 0) throw toError(faultsInStandIns, source, filled)
  // `jitless`: for a single run, compiling the schemas takes longer than interpreting them.
  const { data, error } = configSchema.safeParse(filled.settings, { jitless: true })
  const faults = [
    ...(error
      ? [...faultsOf(error.issues, filled.settings), ...faultsInReadable(filled, source)]
      : faultsIn(data, filled, source)),
    ...faultsInUnusable(filled.unusable),
  ]
  const places = faults.map((fault) => withPathInFile(fault, source.raw))
  if (places.length > 0) throw toError(places, source, filled)
  return data as Parsed
}

/** Finds what no schema can: faults that depend on several parts of the configuration. */
function faultsIn(
  parsed: Parsed,
  { unusable }: Filled,
  { raw, templates, isLastGood }: Source,
): Fault[] {
  const channels = [...Object.keys(parsed.channels), ...Object.keys(unusable)]
  const ofHub = faultInHub(raw)
  return [
    ...(ofHub ? [ofHub] : []),
    ...faultsInNames(parsed, { channels, templates }),
    ...(isLastGood ? [] : faultsInTwins(channels)),
  ]
}

/** Wrong names in the valid parts, so that nobody has to check twice. */
function faultsInReadable({ settings, unusable }: Filled, { templates }: Source): Fault[] {
  const part = readablePart(settings)
  if (!part) return []
  const channels = [...part.channels, ...Object.keys(unusable)]
  return faultsInNames(part, { channels, templates })
}

/** The error for the first fault in the file, with the others. */
function toError(faults: readonly Fault[], source: Source, filled: Filled): HookbellError {
  const [first, ...rest] = faults
    .map((fault) => ({ ...inWords(fault, source, filled), at: offsetOf(source.tree, fault.path) }))
    .sort((one, other) => one.at - other.at)
  const others = rest.map(({ message, hint }) => new HookbellError('E_CONFIG', message, { hint }))
  return new HookbellError('E_CONFIG', first?.message ?? '', { hint: first?.hint, others })
}

function inWords({ path, what, hint }: Fault, source: Source, { sources }: Filled) {
  // A reference in the place of a whole channel is wrong whatever its value is.
  const isChannel = path[0] === 'channels' && path.length === 2
  const isKey = what === UNKNOWN_KEY
  const [reference] = isChannel || isKey ? [] : referencesIn(valueAt(source.raw, path))
  if (reference === undefined) return { message: messageAt(source, path, what), hint }
  const message = messageAt(source, path, `${what} (with the value of \${${reference}})`)
  return { message, hint: howToCorrect(reference, sources) }
}

/** A value that does not fit is never shown, so the person has to look. */
function howToCorrect(name: string, sources: Filled['sources']): string {
  const source = Object.hasOwn(sources, name) ? sources[name] : undefined
  if (source !== undefined && source !== KEYCHAIN)
    return `Run ${describeSource(source)} yourself, and look`
  return `Set it again: hookbell secrets set ${name}${source === undefined ? '' : ' --keychain'}`
}

/**
 * The routes and the digest of a configuration that is not valid, so that wrong names in them are reported with its other
 * faults. A part that is not valid itself has no names here. Undefined if the channels cannot be known.
 */
function readablePart(
  settings: object,
):
  | (Partial<Pick<Config, 'answers'>> & Pick<Config, 'routes' | 'digest'> & { channels: string[] })
  | undefined {
  const {
    channels,
    routes,
    digest: daily,
    answers: given,
  }: Readonly<Record<string, unknown>> = { ...settings }
  if (typeof channels !== 'object' || channels === null || Array.isArray(channels)) return undefined
  const list: unknown[] = Array.isArray(routes) ? routes : []
  return {
    channels: Object.keys(channels),
    // In their places, because a fault is reported with its index.
    routes: list.map((one) => route.safeParse(one, { jitless: true }).data ?? { on: [], to: [] }),
    digest: digest.safeParse(daily, { jitless: true }).data,
    answers: answers.safeParse(given, { jitless: true }).data,
  }
}

/** What routes and the digest may name. */
interface Names {
  channels: readonly string[]
  /** If absent, any name is accepted. */
  templates?: readonly string[] | undefined
}

/** Finds unknown channels and unknown templates. */
function faultsInNames(
  { routes = [], digest, answers }: Partial<Pick<Config, 'routes' | 'digest' | 'answers'>>,
  names: Names,
): Fault[] {
  return [
    ...routes.flatMap((one, index) => within(['routes', index], faultsInRoute(one, names))),
    ...within(['digest', 'to'], faultsInChannels(digest?.to ?? [], names)),
    ...within(['answers', 'channels'], faultsInChannels(answers?.channels ?? [], names)),
  ]
}

/** File names contain names of channels. On macOS and Windows, two that differ only in case would be the same file. */
function faultsInTwins(channels: readonly string[]): Fault[] {
  const seen = new Map<string, string>()
  return channels.flatMap((name) => {
    const twin = seen.get(name.toLowerCase())
    if (twin === undefined) seen.set(name.toLowerCase(), name)
    const what = `differs from "${twin}" only in capital letters`
    return twin === undefined
      ? []
      : [{ path: ['channels', name], what, hint: 'Rename one of them' }]
  })
}

function faultsInRoute(route: Route, names: Names): Fault[] {
  return [
    ...within(['template'], faultsInTemplate(route.template, names)),
    ...faultsInSteps(route, names),
  ]
}

function faultsInTemplate(name: string | undefined, { templates }: Names): Fault[] {
  if (name === undefined || !templates || templates.includes(name)) return []
  const what = `no template "${name}": there is no templates/plain/${name}.liquid`
  const hint = templates.length > 0 ? didYouMean(name, templates) : 'Write that file'
  return [{ path: [], what, hint }]
}

function faultsInSteps(route: Route, names: Names): Fault[] {
  return stepsOf(route).flatMap(({ to }, index) => {
    const path = route.steps ? ['steps', index, 'to'] : ['to']
    return within(path, faultsInChannels(to, names))
  })
}

function faultsInChannels(to: readonly string[], { channels }: Names): Fault[] {
  return to.flatMap((name, at) => {
    const what = `unknown channel "${name}"`
    return channels.includes(name) ? [] : [{ path: [at], what, hint: didYouMean(name, channels) }]
  })
}

function within(path: Fault['path'], faults: readonly Fault[]): Fault[] {
  return faults.map((fault) => ({ ...fault, path: [...path, ...fault.path] }))
}
