import * as z from 'zod'
import type { Notifier } from '../../notifiers/define.ts'
import { notifiers } from '../../notifiers/index.ts'
import type { SecretOptions } from '../checked.ts'
import { secretSources } from '../secrets/source.ts'
import { type ChannelRules, channelsSchema, channelType } from './channel.ts'
import { digest } from './digest.ts'
import { hubSettings } from './hub-settings.ts'
import { noise, quietHoursShape } from './noise.ts'
import { conditionShape, route, stepShape } from './route.ts'

/** Used if no channels are configured. */
export const defaultChannels = { desktop: { type: 'desktop' as const } }

/** The kinds that are announced if no routes are configured. */
export const defaultKinds = ['permission', 'waiting', 'done', 'failed', 'abnormal-end']

const defaultAbnormalReasons = ['error', 'other']

const retry = z.strictObject({
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

const journal = z.strictObject({
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
  retentionDays: z
    .number()
    .positive()
    .default(7)
    .describe('No effect: settled events are deleted. Accepted for configurations of version 0.1'),
  journal: journal.prefault({}).describe('What the journal keeps'),
  extraCaFile: z
    .string()
    .optional()
    .describe('PEM file of certificate authorities to trust besides the usual ones'),
})

export type Route = z.output<typeof route>
export type RetryPolicy = z.output<typeof retry>
export type Parsed = z.output<typeof configSchema>
export type Config = Omit<Parsed, 'routes' | 'abnormalReasons' | '$schema'> & {
  routes: Route[]
  abnormalReasons: string[]
  /** Whether a person set `abnormalReasons`: then they always count, even if the last turn ended well. */
  hasOwnReasons: boolean
  /** The rules of channels that cannot be used now, such as one whose secret is not set, by name. */
  waiting: Record<string, ChannelRules>
}

/** Fills in the defaults. The default routes go to all channels, including those that cannot be used yet. */
export function completeConfig(
  { $schema, routes, abnormalReasons, ...config }: Parsed,
  waiting: Config['waiting'] = {},
): Config {
  const all = [...Object.keys(config.channels), ...Object.keys(waiting)]
  const everywhere = [{ on: defaultKinds, to: all }]
  return {
    ...config,
    waiting,
    routes: routes ?? everywhere,
    abnormalReasons: abnormalReasons ?? defaultAbnormalReasons,
    hasOwnReasons: abnormalReasons !== undefined,
  }
}

/** The names of the fields that the object at a path may have. `type` is that of the channel, if it is one. */
export function keysAt(path: readonly PropertyKey[], type: string): string[] {
  return Object.keys(fieldsAt(path, type) ?? configSchema.shape)
}

/** The description of the innermost known field on a path. */
export function descriptionAt(path: readonly PropertyKey[], type: string): string | undefined {
  const around = [path, path.slice(0, -1)].map((part) => fieldsAt(part, type))
  for (const fields of [...around, configSchema.shape]) {
    const name = path.findLast((key) => fields && Object.hasOwn(fields, key))
    const field = name === undefined ? undefined : (fields as Fields)[String(name)]
    if (field?.description !== undefined) return field.description
  }
  return undefined
}

type Fields = Record<string, z.ZodType>

/** The fields of the innermost object on a path; undefined at the top, and in a section without fields of its own. */
function fieldsAt([section, name, part]: readonly PropertyKey[], type: string): Fields | undefined {
  if (section === 'channels') {
    const notifier = notifierOf(type)
    return notifier ? channelType(notifier).shape : {}
  }
  if (section === 'routes' && (part === 'when' || part === 'not')) return conditionShape
  if (section === 'routes' && part === 'steps') return stepShape
  if (section === 'noise' && name === 'quietHours') return quietHoursShape
  const sections: Record<string, Fields> = {
    retry: retry.shape,
    routes: route.shape,
    journal: journal.shape,
    noise: noise.shape,
    digest: digest.shape,
    hub: hubSettings.shape,
  }
  return sections[String(section)]
}

function notifierOf(type: string): Notifier | undefined {
  const known: Record<string, Notifier> = notifiers
  return Object.hasOwn(known, type) ? known[type] : undefined
}

/** The notifier's own options. */
function optionsOf(type: string): Fields {
  return notifierOf(type)?.options.shape ?? {}
}

/** The values of secret options, which must not appear anywhere. */
export function secretsOf(
  { channels, hub }: Pick<Config, 'channels'> & Partial<Pick<Config, 'hub'>>,
  secretOptions: SecretOptions,
): string[] {
  const all = [...Object.values(channels), ...(hub ? [{ type: 'hub', ...hub }] : [])]
  return all.flatMap((channel) =>
    (secretOptions[channel.type] ?? [])
      .flatMap((name) => textsIn((channel as Record<string, unknown>)[name]))
      .flatMap(partsOf),
  )
}

/** The options that are declared as secrets, of the types that a configuration uses. */
export function secretOptionsOf({
  channels,
  hub,
}: Pick<Config, 'channels' | 'hub'>): SecretOptions {
  const types = new Set(Object.values(channels).map(({ type }) => type))
  if (hub) types.add('hub')
  const names = (type: string) =>
    Object.keys(optionsOf(type)).filter((name) => isSecretOption(type, name))
  return Object.fromEntries([...types].map((type) => [type, names(type)]))
}

export function isSecretOption(type: string, name: string): boolean {
  const shape = optionsOf(type)
  return Object.hasOwn(shape, name) && isSecret(shape[name])
}

function isSecret(option: z.ZodType | undefined): boolean {
  return option?.meta()?.secret === true
}

/**
 * In a list or a record only values with a digit count as secrets: headers and variables also hold
 * ordinary words, such as `application/json`, and redacting those everywhere would only garble texts.
 */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value)
    .flatMap(textsIn)
    .filter((text) => /\d/.test(text))
}

/** For a URL also its secret parts, the password and the path, which errors repeat without the rest. */
function partsOf(value: string): string[] {
  if (!URL.canParse(value)) return [value]
  const { password, pathname } = new URL(value)
  const decoded = password.includes('%') ? safelyDecoded(password) : password
  return [value, password, decoded, pathname.length > 8 ? pathname : ''].filter(Boolean)
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
