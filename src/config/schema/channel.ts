import * as z from 'zod'
import { clearances } from '../../delivery.ts'
import type { Notifier } from '../../notifiers/define.ts'
import { notifiers } from '../../notifiers/index.ts'

export const channelName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'a name of letters, digits, ".", "_", "-"')

const noiseSwitch = z
  .boolean()
  .optional()
  .describe('Whether the rules against noise apply. Default: true, but false for a file')

const [firstType, ...otherTypes] = Object.values(notifiers).map(channelType)

/** A channel is a notifier's own options and the `type` that names it. */
export function channelType(notifier: Notifier) {
  const type = z.literal(notifier.name).describe(notifier.title)
  const clearance = z
    .enum(clearances)
    .default(notifier.leavesMachine ? 'summary' : 'full')
    .describe(
      "How much of the agent's text is sent. full: whole messages; summary: questions and both ends of an answer; minimal: none",
    )
  return z.strictObject({ type, noise: noiseSwitch, clearance, ...notifier.options.shape })
}

const channel = z.discriminatedUnion('type', [
  firstType as ReturnType<typeof channelType>,
  ...otherTypes,
])

export const channelsSchema = z.record(channelName, channel)

/** What the texts of a channel and the rules against noise depend on. */
export type ChannelRules = Pick<z.output<typeof channel>, 'type' | 'noise' | 'clearance'>

/** The rules of a channel that is not complete. If they are not certain, it has the lowest clearance. */
export function parseRules(channel: unknown): ChannelRules {
  const notifier = Object.values(notifiers).find(({ name }) => name === Object(channel).type)
  const shape = notifier && channelType(notifier).pick({ type: true, noise: true, clearance: true })
  const { data } = shape?.strip().safeParse(channel, { jitless: true }) ?? {}
  return data ?? { type: '', clearance: 'minimal' }
}
