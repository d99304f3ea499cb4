import type { LoadedConfig } from '../../config/load/load.ts'
import { referencesWithin, type SecretsFile } from '../../config/secrets/secrets.ts'
import { describeSource, sourcesIn } from '../../config/secrets/source.ts'

/** What may be shown about a secret: never its value. */
export interface SecretRow {
  name: string
  /** Where its value comes from; '' if it is not set. */
  from: string
  /** Channels that refer to it, and `the hub`. */
  usedBy: readonly string[]
}

/** Every name that is set or referred to, in alphabetical order. */
export function secretRows(loaded: LoadedConfig, file: SecretsFile): SecretRow[] {
  const raw = loaded.raw ?? {}
  const users = usersIn([...Object.entries(Object(raw.channels)), ['the hub', raw.hub ?? {}]])
  const sources = sourcesIn(raw.secrets)
  const names = new Set([...file.values.keys(), ...users.keys(), ...Object.keys(sources)])
  const fromOf = (name: string) => {
    if (file.values.has(name)) return 'secrets.env'
    const source = Object.hasOwn(sources, name) ? sources[name] : undefined
    if (source) return describeSource(source)
    return users.has(name) && !loaded.unset.includes(name) ? 'the environment, stored' : ''
  }
  return [...names]
    .sort()
    .map((name) => ({ name, from: fromOf(name), usedBy: users.get(name) ?? [] }))
}

function usersIn(settings: readonly [string, unknown][]): Map<string, string[]> {
  const users = new Map<string, string[]>()
  for (const [user, value] of settings) {
    for (const name of new Set(referencesWithin(value)))
      users.set(name, [...(users.get(name) ?? []), user])
  }
  return users
}
