import { defineCommand } from 'citty'
import { askSecret } from '../cli/ask-secret.ts'
import { asTyped } from '../cli/how-to-call.ts'
import { printJson, say, table } from '../cli/output.ts'
import { CurrentConfig } from '../config/current.ts'
import type { LoadedConfig } from '../config/load/load.ts'
import { configDir, secretsPath, stateDir } from '../config/paths.ts'
import { removeSecret, writeSecret } from '../config/secrets/file.ts'
import { removeKeychain, writeKeychain } from '../config/secrets/keychain.ts'
import { readSecrets, referencesWithin, type SecretsFile } from '../config/secrets/secrets.ts'
import { describeSource, sourcesIn } from '../config/secrets/source.ts'
import { usageError } from '../errors.ts'
import { didYouMean } from '../text/suggest.ts'

export const secretsCommand = defineCommand({
  args: {
    action: {
      type: 'positional',
      required: false,
      description: 'list (default), set or unset',
      valueHint: 'list|set|unset',
    },
    name: { type: 'positional', required: false, description: 'Such as SLACK_WEBHOOK_URL' },
    keychain: {
      type: 'boolean',
      description: 'Use the keychain of this desktop instead of the file',
    },
    json: {
      type: 'boolean',
      description: 'Print JSON, never a value. Of set: name, in, usedBy; of unset: name, wasSet',
    },
  },
  async run({ args: { action = 'list', name, keychain = false, json = false } }) {
    if (action === 'list') return list(json)
    if (action !== 'set' && action !== 'unset')
      throw usageError(
        `secrets: unknown action "${action}"`,
        didYouMean(action, ['list', 'set', 'unset'], 'Actions'),
      )
    if (!name) throw usageError(`secrets ${action}: which name?`, 'Such as SLACK_WEBHOOK_URL')
    // The word may be the secret itself, so the message does not repeat it.
    if (!/^[A-Za-z_]\w{0,127}$/.test(name) || name === '__proto__')
      throw usageError(`secrets ${action}: not a name`, NAME_RULE)
    if (action === 'set') return await set(name, keychain, json)
    return await unset(name, keychain, json)
  },
})

const NAME_RULE = 'A name has letters, digits and "_". The value is asked for, or read from stdin'

function list(json: boolean) {
  const config = new CurrentConfig(configDir(), stateDir()).get()
  const file = readSecrets(configDir())
  const rows = secretRows(config, file)
  if (json) printJson(rows)
  else if (rows.length > 0)
    say(table(rows.map((row) => inWords(row, config.problem === undefined))))
  // Without a valid configuration, nobody knows which secrets the channels use.
  if (config.problem) throw config.problem
  if (rows.length === 0 && !json) say(asTyped('No secrets. Next: hookbell secrets set NAME'))
}

function inWords({ name, from, usedBy }: SecretRow, isKnown: boolean): string[] {
  const unused = isKnown ? 'not used' : ''
  return [name, from || 'not set', usedBy.length > 0 ? `for ${usedBy.join(', ')}` : unused]
}

async function set(name: string, keychain: boolean, json: boolean) {
  const value = await askSecret(`${name} (hidden): `)
  if (!keychain) {
    const path = secretsPath(configDir())
    writeSecret(configDir(), name, value)
    if (!json) say(`${name} is set in ${path}`)
    const users = usersOf(name)
    if (json) return printJson({ name, in: path, usedBy: users ?? [] })
    return users?.length === 0 ? sayUnused(name) : undefined
  }
  await writeKeychain(name, value, stateDir())
  if (json) return printJson({ name, in: 'keychain', usedBy: usersOf(name) ?? [] })
  const line = `"secrets": { "${name}": "keychain" }`
  say(`${name} is in the keychain. Say so in your configuration: ${line}`)
}

/**
 * What refers to the name. @returns undefined if the configuration has another fault, so that nobody knows
 * @throws HookbellError E_CONFIG if the value does not fit its option, such as a URL with a typo
 */
function usersOf(name: string): readonly string[] | undefined {
  const config = new CurrentConfig(configDir(), stateDir()).get()
  const faults = config.problem ? [config.problem, ...config.problem.others] : []
  const ofValue = faults.find(({ message }) => message.includes(`(with the value of \${${name}})`))
  if (ofValue) throw ofValue
  if (config.problem) return undefined
  const rows = secretRows(config, readSecrets(configDir()))
  return rows.find((row) => row.name === name)?.usedBy ?? []
}

/** A typo in the name would otherwise be noticed only when a message waits. */
function sayUnused(name: string) {
  const { unset: missing } = new CurrentConfig(configDir(), stateDir()).get()
  const guess = missing.length > 0 ? ` ${didYouMean(name, missing)}` : ''
  say(`No channel refers to \${${name}} yet.${guess}`)
}

async function unset(name: string, keychain: boolean, json: boolean) {
  if (keychain) {
    await removeKeychain(name, stateDir())
    if (json) return printJson({ name, wasSet: true })
    return say(`${name} is removed from the keychain`)
  }
  const path = secretsPath(configDir())
  const wasSet = removeSecret(configDir(), name)
  if (json) return printJson({ name, wasSet })
  say(wasSet ? `${name} is removed from ${path}` : `${name} was not set`)
}

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
