import { digest } from '../schema/digest.ts'
import { route } from '../schema/route.ts'
import type { Config } from '../schema/schema.ts'

/**
 * The routes and the digest of a configuration that is not valid, so that wrong names in them are reported with its other
 * faults. A part that is not valid itself has no names here. Undefined if the channels cannot be known.
 */
export function readablePart(
  settings: object,
): (Pick<Config, 'routes' | 'digest'> & { channels: string[] }) | undefined {
  const { channels, routes, digest: daily }: Readonly<Record<string, unknown>> = { ...settings }
  if (typeof channels !== 'object' || channels === null || Array.isArray(channels)) return undefined
  const list: unknown[] = Array.isArray(routes) ? routes : []
  return {
    channels: Object.keys(channels),
    // In their places, because a fault is reported with its index.
    routes: list.map((one) => route.safeParse(one, { jitless: true }).data ?? { on: [], to: [] }),
    digest: digest.safeParse(daily, { jitless: true }).data,
  }
}
