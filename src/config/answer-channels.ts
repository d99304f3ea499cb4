import type { Notifier } from '../notifiers/define.ts'
import { notifierOf, notifiers } from '../notifiers/index.ts'
import { channelOf, optionsOf } from './channels.ts'
import type { Config } from './schema/schema.ts'

/** Why nobody can answer on a channel, and what to do; undefined if people who are paired can. */
export function whyNoAnswers(
  channel: string,
  config: Config,
): { what: string; hint?: string } | undefined {
  const found = channelOf(channel, config)
  if (!found) return { what: `there is no channel "${channel}"`, hint: offersOf(config) }
  if (found.why !== undefined) return { what: `${channel} cannot be used: ${found.why}` }
  const notifier = notifierOf(channel, config)
  if (!notifier?.answers)
    return { what: `questions cannot be answered on ${channel}`, hint: offersOf(config) }
  const { chat, needs } = notifier.answers
  if (chat(optionsOf(found)) === undefined) return { what: `${channel}: ${needs}` }
  return config.answers.channels.includes(channel)
    ? undefined
    : {
        what: `the configuration lets nobody answer on ${channel}`,
        hint: `Add to it: "answers": { "channels": ["${channel}"] }`,
      }
}

function offersOf(config: Config): string {
  const names = Object.keys(config.channels).filter((name) => notifierOf(name, config)?.answers)
  if (names.length > 0) return `Channels for that: ${names.join(', ')}`
  const all: Notifier[] = Object.values(notifiers)
  return `Set up a channel for one of: ${all.flatMap((one) => (one.answers ? one.title : [])).join(', ')}`
}
