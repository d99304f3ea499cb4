import { asTyped } from '../../cli/how-to-call.ts'
import { CurrentConfig } from '../../config/current.ts'
import { loadConfig } from '../../config/load/load.ts'
import { configDir, configPath, secretsPath, stateDir } from '../../config/paths.ts'
import { writeSecret } from '../../config/secrets/file.ts'
import { usageError } from '../../errors.ts'
import {
  type Addition,
  addChannels,
  additionTo,
  type NewChannels,
} from '../../install/add-channels.ts'
import { showPath } from '../../text/clean.ts'
import { channelOffers } from './channel-offers.ts'

/** Channels to add to the user's configuration, and their values for `secrets.env`, by name. */
export interface Setup {
  channels: NewChannels
  secrets: ReadonlyMap<string, string>
  /** The built-in channel that gets nothing any more, because the configuration names channels now. */
  replaced?: string
}

/** Parses `--channel`: the channels that the configuration lacks. `status` reports what they still need. */
export function setupOf(types: string | undefined): Setup | undefined {
  if (types === undefined) return undefined
  const there = existingChannels()
  const names = types.split(',').map((name) => name.trim())
  const missing = names.filter((name) => !there.includes(name))
  refuseOtherTypes(names)
  const channels = missing.map((type) => {
    const offer = Object.hasOwn(channelOffers, type) ? channelOffers[type] : undefined
    if (offer) return [type, { type, ...offer.options(referenceTo) }]
    throw usageError(
      `--channel: init cannot set up "${type}"`,
      `It can: ${Object.keys(channelOffers).join(', ')}. For others see docs/notifiers.md`,
    )
  })
  if (channels.length === 0) return undefined
  const setup = { channels: Object.fromEntries(channels), secrets: new Map() }
  const isReplaced =
    inFile()?.channels === undefined && !Object.hasOwn(additionOf(setup).channels, 'desktop')
  return isReplaced ? { ...setup, replaced: 'desktop' } : setup
}

/** A channel has the name of its type here. The user may have given that name to another one. */
function refuseOtherTypes(names: readonly string[]) {
  const existing = Object(inFile()?.channels)
  const other = names.find((name) => Object.hasOwn(existing, name) && existing[name]?.type !== name)
  if (other === undefined) return
  throw usageError(
    `--channel: the configuration has a channel "${other}" of another type`,
    'Add the new one under another name: hookbell config edit',
  )
}

/** Channels that the user's own file names; the built-in ones do not count. */
export function existingChannels(): string[] {
  const { problem } = new CurrentConfig(configDir(), stateDir()).get()
  if (problem) throw problem
  return Object.keys(inFile()?.channels ?? {})
}

/** What the file says now: the settings of a file that was just removed stay in force for a while. */
function inFile() {
  return loadConfig(configDir()).raw
}

/** What `writeSetup` adds to the configuration. The text around it is not shown, since it may hold secrets. */
export function additionOf({ channels }: Setup): Addition {
  return additionTo(loadConfig(configDir()), channels)
}

/** The same as lines of a diff. */
export function shownAddition(setup: Setup | undefined): string {
  if (!setup) return ''
  const lines = JSON.stringify(additionOf(setup), null, 2).replaceAll(/^/gm, '+')
  return `+++ ${showPath(configPath(configDir()))}\n${lines}\n\n`
}

/** Writes the secrets first: a channel without its secrets would be reported as unusable for a moment. */
export function writeSetup({ channels, secrets }: Setup, folder: string): void {
  for (const [name, value] of secrets) writeSecret(folder, name, value)
  addChannels(folder, channels)
}

/** A line for each file that `writeSetup` would change. */
export function plannedSetup(setup: Setup | undefined): string {
  if (!setup) return ''
  const { secrets, replaced } = setup
  const { channels, routes } = additionOf(setup)
  const route = routes ? `, and a route to ${Object.keys(setup.channels).join(', ')}` : ''
  const added = Object.keys(channels)
  const names = `${added.length === 1 ? 'channel' : 'channels'} ${added.join(', ')}${route}`
  const stored = [...secrets.keys()].join(', ')
  const secretsLine = stored && `${showPath(secretsPath(configDir()))}: ${stored}\n`
  const note = replaced
    ? `Note: ${replaced}, the built-in channel, gets nothing from now on. To keep it: hookbell init --channel ${replaced}\n`
    : ''
  return `${showPath(configPath(configDir()))}: ${names}\n${secretsLine}${asTyped(note)}`
}

export function referenceTo(variable: string): string {
  return `\${${variable}}`
}
