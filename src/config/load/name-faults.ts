import { didYouMean } from '../../text/suggest.ts'
import type { Config, Route } from '../schema/schema.ts'
import { stepsOf } from '../schema/steps.ts'
import type { Fault } from './issue.ts'

/** What routes and the digest may name. */
export interface Names {
  channels: readonly string[]
  /** If absent, any name is accepted. */
  templates?: readonly string[] | undefined
}

/** Finds unknown channels and unknown templates. */
export function faultsInNames(
  { routes = [], digest }: Partial<Pick<Config, 'routes' | 'digest'>>,
  names: Names,
): Fault[] {
  return [
    ...routes.flatMap((one, index) => within(['routes', index], faultsInRoute(one, names))),
    ...within(['digest', 'to'], faultsInChannels(digest?.to ?? [], names)),
  ]
}

/** File names contain names of channels. On macOS and Windows, two that differ only in case would be the same file. */
export function faultsInTwins(channels: readonly string[]): Fault[] {
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
