import * as z from 'zod'
import { kinds } from '../event/kind.ts'
import { type Notifier, urgencies } from '../notifiers/define.ts'
import { notifiers } from '../notifiers/index.ts'

const [firstType, ...otherTypes] = Object.values(notifiers).map(channelType)

/** A channel is a notifier's own options and the `type` that names it. */
function channelType(notifier: Notifier) {
  const type = z.literal(notifier.name).describe(notifier.title)
  return z.strictObject({ type, ...notifier.options.shape })
}

/** What a person is told about without any configuration. */
const defaultKinds = ['permission', 'waiting', 'done', 'abnormal-end']

const route = z.strictObject({
  on: z
    .array(z.string().min(1))
    .min(1)
    .describe(`Event names (Stop, Notification, ...) and kinds (${kinds.join(', ')}); "*" is all`),
  to: z.array(z.string()).min(1).describe('Names of channels'),
  urgency: z
    .enum(urgencies)
    .optional()
    .describe('Instead of the urgency that follows from the kind'),
})

const retry = z.strictObject({
  firstDelaySeconds: z
    .number()
    .positive()
    .default(2)
    .describe('Wait before the second try; doubles'),
  maxDelaySeconds: z.number().positive().default(900).describe('Longest wait between two tries'),
  maxAttempts: z.int().positive().default(120).describe('Tries per channel before giving up'),
  maxAgeHours: z.number().positive().default(24).describe('Age of an event at which to give up'),
})

export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('For editors'),
  channels: z
    .record(
      z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'a name of letters, digits, ".", "_", "-"'),
      z.discriminatedUnion('type', [firstType as ReturnType<typeof channelType>, ...otherTypes]),
    )
    .prefault({ desktop: { type: 'desktop' } })
    .describe('Destinations by name'),
  routes: z
    .array(route)
    .optional()
    .describe(`Which events go where. Default: ${defaultKinds.join(', ')} to every channel`),
  abnormalReasons: z
    .array(z.string())
    .default(['error', 'other'])
    .describe('SessionEnd reasons that count as abnormal'),
  lingerSeconds: z
    .number()
    .nonnegative()
    .default(60)
    .describe('How long the worker stays after the last event'),
  deliveryTimeoutSeconds: z.number().positive().default(30).describe('Limit of one delivery'),
  retry: retry.prefault({}).describe('When a delivery fails'),
  retentionDays: z.number().positive().default(7).describe('How long settled events are kept'),
  extraCaFile: z
    .string()
    .optional()
    .describe('PEM file of certificates to trust, as NODE_EXTRA_CA_CERTS would'),
})

export type Route = z.output<typeof route>
export type RetryPolicy = z.output<typeof retry>
type Parsed = z.output<typeof configSchema>
export type Config = Omit<Parsed, 'routes' | '$schema'> & { routes: Route[] }
export type Channel = Config['channels'][string]

/** Fills in the routes, which depend on the channels. */
export function completeConfig({ $schema, routes, ...config }: Parsed): Config {
  const everywhere = [{ on: defaultKinds, to: Object.keys(config.channels) }]
  return { ...config, routes: routes ?? everywhere }
}
