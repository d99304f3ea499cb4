import { readyChannels } from './channels.ts'
import type { Config } from './schema/schema.ts'
import { stepsOf } from './schema/steps.ts'

/** Channels that can be used now and that neither a route nor the digest names: nothing ever reaches them. */
export function unreachableChannels({
  channels,
  routes,
  digest,
}: Pick<Config, 'channels' | 'routes' | 'digest'>): string[] {
  const routed = routes.flatMap((one) => stepsOf(one).flatMap(({ to }) => to))
  const named = new Set([...routed, ...(digest?.to ?? [])])
  return readyChannels({ channels }).filter((name) => !named.has(name))
}
