import { kinds } from '../../event/kind.ts'
import { knownEvents } from '../../event/schema.ts'
import { closest, didYouMean } from '../../text/suggest.ts'
import type { Config, Route } from '../schema/schema.ts'
import { stepsOf } from '../schema/steps.ts'
import type { Fault } from './issue.ts'
import { kindMeantBy } from './route-warnings.ts'

/** What routes and the digest may name. */
export interface Names {
  channels: readonly string[]
  /** If absent, any name is accepted. */
  templates?: readonly string[] | undefined
}

/** Finds an unknown channel, an unknown template or a misspelt event. */
export function faultInNames(
  { routes = [], digest }: Partial<Pick<Config, 'routes' | 'digest'>>,
  names: Names,
): Fault | undefined {
  const faults = routes.map((one, index) => within(['routes', index], faultInRoute(one, names)))
  return (
    faults.find((fault) => fault !== undefined) ??
    within(['digest', 'to'], faultInChannels(digest?.to ?? [], names))
  )
}

/** Names of files contain that of a channel, and on macOS and Windows one would replace the other. */
export function faultInTwins(channels: readonly string[]): Fault | undefined {
  const seen = new Map<string, string>()
  for (const name of channels) {
    const twin = seen.get(name.toLowerCase())
    const what = `differs from "${twin}" only in capital letters`
    if (twin !== undefined) return { path: ['channels', name], what, hint: 'Rename one of them' }
    seen.set(name.toLowerCase(), name)
  }
  return undefined
}

function faultInRoute(route: Route, names: Names): Fault | undefined {
  return (
    within(['template'], faultInTemplate(route.template, names)) ??
    faultInSteps(route, names) ??
    within(['on'], faultInWords(route.on))
  )
}

function faultInTemplate(name: string | undefined, { templates }: Names): Fault | undefined {
  if (name === undefined || !templates || templates.includes(name)) return undefined
  const what = `no template "${name}": there is no templates/plain/${name}.liquid`
  const hint = templates.length > 0 ? didYouMean(name, templates) : 'Write that file'
  return { path: [], what, hint }
}

function faultInSteps(route: Route, names: Names): Fault | undefined {
  const faults = stepsOf(route).map(({ to }, index) => {
    const path = route.steps ? ['steps', index, 'to'] : ['to']
    return within(path, faultInChannels(to, names))
  })
  return faults.find((fault) => fault !== undefined)
}

function faultInChannels(to: readonly string[], { channels }: Names): Fault | undefined {
  const at = to.findIndex((name) => !channels.includes(name))
  const name = to[at]
  if (name === undefined) return undefined
  return { path: [at], what: `unknown channel "${name}"`, hint: didYouMean(name, channels) }
}

/** Any other name may be an event of a client that we do not know. */
function faultInWords(on: readonly string[]): Fault | undefined {
  const words = [...kinds, ...knownEvents]
  const meantBy = (word: string) => (words.includes(word) ? undefined : closest(word, words))
  const at = on.findIndex(meantBy)
  const word = on[at]
  if (word === undefined) return undefined
  const hint = `Did you mean "${kindMeantBy(word) ?? meantBy(word)}"?`
  return { path: [at], what: `no event or kind is called "${word}"`, hint }
}

function within(path: Fault['path'], fault: Fault | undefined): Fault | undefined {
  return fault && { ...fault, path: [...path, ...fault.path] }
}
