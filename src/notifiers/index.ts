/**
 * All notifiers, by the `type` of a channel. To add one: write `<type>.ts` in this folder with
 * `defineNotifier` (define.ts is the contract), add its line here, and write
 * `test/notifiers/<type>.test.ts`, which calls the shared suite and adds the tests of this type.
 * Validation, help, redaction and the docs all read the declaration.
 */
import { usageError } from '../errors.ts'
import { configuredChannel } from '../repeated-channel.ts'
import { command } from './command.ts'
import type { Notifier } from './define.ts'
import { desktop } from './desktop.ts'
import { discord } from './discord.ts'
import { email } from './email.ts'
import { file } from './file.ts'
import { gotify } from './gotify.ts'
import { hub } from './hub.ts'
import { module } from './module.ts'
import { ntfy } from './ntfy.ts'
import { slack } from './slack.ts'
import { teams } from './teams.ts'
import { telegram } from './telegram.ts'
import { terminal } from './terminal.ts'
import { webhook } from './webhook.ts'

export const notifiers = {
  command,
  desktop,
  discord,
  email,
  file,
  gotify,
  hub,
  module,
  ntfy,
  slack,
  teams,
  telegram,
  terminal,
  webhook,
} satisfies Record<string, Notifier>

/** Notifiers that a program brings along, by the type of their channels. */
export type GivenNotifiers = Readonly<Record<string, Notifier>>

interface Channels {
  channels: Readonly<Record<string, { type: string }>>
  /** Those that only this program has. */
  given?: GivenNotifiers | undefined
}

/** The notifier of a channel, or undefined where the configuration has no such channel. */
export function notifierOf(
  channel: string,
  { channels, given = {} }: Channels,
): Notifier | undefined {
  const name = configuredChannel(channel)
  const type = Object.hasOwn(channels, name) ? channels[name]?.type : undefined
  if (type === undefined) return undefined
  return Object.hasOwn(given, type) ? given[type] : notifierOfType(type)
}

/** @throws HookbellError E_USAGE for a name that is taken */
export function givenNotifiers(list: readonly Notifier[]): GivenNotifiers {
  const given: { [type: string]: Notifier } = {}
  // Its own markup would need templates.
  for (const { markup: _, ...notifier } of list) {
    if (Object.hasOwn(given, notifier.name) || notifierOfType(notifier.name))
      throw usageError(`notifiers: there are two with the name "${notifier.name}"`)
    given[notifier.name] = notifier
  }
  return given
}

export function notifierOfType(type: string): Notifier | undefined {
  const all: { [type: string]: Notifier } = notifiers
  return Object.hasOwn(all, type) ? all[type] : undefined
}
