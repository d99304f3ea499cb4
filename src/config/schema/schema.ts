import * as z from 'zod'
import { expandHome } from '../../fs/home.ts'
import type { GivenNotifiers } from '../../notifiers/index.ts'
import type { Channel } from '../channels.ts'
import { secretSources } from '../secrets/source.ts'
import { answers } from './answers.ts'
import { channelsSchema } from './channel.ts'
import { hubSettings } from './hub-settings.ts'
import { digest, noise } from './noise.ts'
import { route } from './route.ts'

/** Used if no channels are configured. */
export const defaultChannels = { desktop: { type: 'desktop' as const } }

/** The kinds that are announced if no routes are configured. */
export const defaultKinds = ['permission', 'waiting', 'done', 'failed', 'abnormal-end']

const defaultAbnormalReasons = ['error', 'other']

export const retry = z.strictObject({
  firstDelaySeconds: z
    .number()
    .positive()
    .default(2)
    .describe('Delay before the second attempt; doubles each time'),
  maxDelaySeconds: z
    .number()
    .positive()
    .default(900)
    .describe('Longest delay between two attempts'),
  maxAttempts: z.int().positive().default(120).describe('Attempts per channel before giving up'),
  maxAgeHours: z.number().positive().default(24).describe('Age of a delivery at which it gives up'),
})

export const journal = z.strictObject({
  text: z
    .boolean()
    .default(true)
    .describe('Keep the text of messages, redacted and truncated; otherwise only the title'),
})

export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('For editors'),
  channels: channelsSchema.prefault(defaultChannels).describe('Destinations by name'),
  hub: hubSettings
    .optional()
    .describe('A hub shared by many machines; messages for its channels are handed over to it'),
  routes: z
    .array(route)
    .optional()
    .describe(`Which events go where. Default: ${defaultKinds.join(', ')} to every channel`),
  env: z
    .array(z.string().regex(/^[A-Za-z_]\w*$/, 'must be the name of a variable'))
    .default([])
    .describe('Names of variables of your shell that channels may refer to'),
  secrets: secretSources
    .default({})
    .describe(
      'Secrets that come from a command or the keychain, by the name that channels refer to',
    ),
  noise: noise.prefault({}).describe('Which events are suppressed'),
  answers: answers.prefault({}).describe('Answers from elsewhere to what agents ask'),
  digest: digest.optional().describe('A daily summary of what happened since the last one'),
  abnormalReasons: z
    .array(z.string())
    .optional()
    .describe(
      `SessionEnd reasons that always count as abnormal. Default: ${defaultAbnormalReasons.join(', ')}, unless the last turn had ended well`,
    ),
  lingerSeconds: z
    .number()
    .nonnegative()
    .default(60)
    .describe('How long the worker stays after the last event'),
  deliveryTimeoutSeconds: z.number().positive().default(30).describe('Time limit of one delivery'),
  retry: retry.prefault({}).describe('When a delivery fails'),
  journal: journal.prefault({}).describe('What the journal keeps'),
  extraCaFile: z
    .string()
    .refine((path) => expandHome(path) !== undefined, 'must be absolute or begin with ~/')
    .optional()
    .describe('PEM file of certificate authorities to trust besides the usual ones'),
})

export type Route = z.output<typeof route>
export type RetryPolicy = z.output<typeof retry>
export type Parsed = z.output<typeof configSchema>
export type Config = Omit<Parsed, 'channels' | 'routes' | 'abnormalReasons' | '$schema'> & {
  /** By name: first those that can be used now. */
  channels: Record<string, Channel>
  routes: Route[]
  abnormalReasons: string[]
  /** Whether a person set `abnormalReasons`: then they always count, even if the last turn ended well. */
  hasOwnReasons: boolean
  /** Notifiers that the program itself brings along. */
  given?: GivenNotifiers
}

/**
 * Fills in the defaults, and the channels that cannot be used yet. The default routes go to these too.
 * @param standIns what delivers for channels of the hub, by their names
 */
export function completeConfig(
  { $schema, routes, abnormalReasons, extraCaFile, ...config }: Parsed,
  unusable: Config['channels'] = {},
  standIns: Config['channels'] = {},
): Config {
  const channels: Config['channels'] = { ...config.channels, ...unusable }
  for (const [name, standIn] of Object.entries(standIns))
    channels[name] = { ...(channels[name] as Channel), standIn }
  const everywhere = [{ on: defaultKinds, to: Object.keys(channels) }]
  return {
    ...config,
    ...(extraCaFile !== undefined && { extraCaFile: expandHome(extraCaFile) }),
    channels,
    routes: routes ?? everywhere,
    abnormalReasons: abnormalReasons ?? defaultAbnormalReasons,
    hasOwnReasons: abnormalReasons !== undefined,
  }
}
