import { stepsOf } from './route.ts'
import type { Config } from './schema.ts'

/** Channels that no route names: nothing ever reaches them. */
export function unreachableChannels({
  channels,
  routes,
}: Pick<Config, 'channels' | 'routes'>): string[] {
  const named = new Set(routes.flatMap((one) => stepsOf(one).flatMap(({ to }) => to)))
  return Object.keys(channels).filter((name) => !named.has(name))
}
