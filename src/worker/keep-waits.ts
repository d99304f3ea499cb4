import type { WorkerDeps } from './deps.ts'

/**
 * Leaves destinations alone that have asked for it, this worker or another one. To be called whenever a channel may have
 * become known, such as by its secret.
 */
export function keepWaits({ config, deliverer, store }: WorkerDeps) {
  for (const { channel, ms } of store.asked(config.changedAt())) deliverer.block(channel, ms)
}
