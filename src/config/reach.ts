import type { Config } from './schema.ts'

/** Channels that neither a route nor the digest names: nothing ever reaches them. */
export function unreachableChannels({
  channels,
  routes,
  digest,
}: Pick<Config, 'channels' | 'routes' | 'digest'>): string[] {
  const named = new Set([...routes.flatMap(({ to }) => to), ...(digest?.to ?? [])])
  return Object.keys(channels).filter((name) => !named.has(name))
}
