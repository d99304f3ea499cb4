import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { isLoopback } from '../text/loopback.ts'

/** The settings of a connection to the hub's Redis or Valkey. */
export const hubConnection = {
  url: z
    .url({ protocol: /^rediss?$/, error: 'must be such as rediss://machine@hub.example:6380' })
    .refine((url) => !URL.canParse(url) || new URL(url).password === '', {
      error: 'must not have a password in it: that is "password"',
    })
    .refine((url) => !URL.canParse(url) || /^\/?$/.test(new URL(url).pathname), {
      error: 'must end after the port: a hub uses database 0',
    })
    .describe('Redis or Valkey of the hub, with the user: rediss://machine@hub.example:6380'),
  password: z.string().min(1).optional().describe('Password of that user').meta({ secret: true }),
  ca: z
    .string()
    .refine((path) => isAbsolute(path) || /^~[/\\]/.test(path), 'must be absolute or begin with ~/')
    .optional()
    .describe(
      'PEM file of the authority that signed the certificate of the hub; without it, the usual ones and those of extraCaFile are trusted',
    ),
  allowUnencrypted: z
    .boolean()
    .default(false)
    .describe(
      'Allows redis:// to another machine: anybody on the network between them can read the password',
    ),
}

const connection = z.object(hubConnection)
export type HubConnection = z.output<typeof connection>

/** Why the URL must not be used; undefined if it may. */
export function whyUnsafe({ url, allowUnencrypted }: HubConnection): string | undefined {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'rediss:' || allowUnencrypted || isLoopback(hostname)) return undefined
  return 'must begin with rediss:// (redis:// is allowed only for this machine, or with allowUnencrypted)'
}
