import type { WorkerDeps } from './deps.ts'

/**
 * Sends nothing to destinations that have asked this worker or another one to wait, until their wait is over. To be
 * called whenever a channel may have become usable, such as when its secret has arrived.
 */
export function keepWaits({ config, deliverer, store }: WorkerDeps) {
  for (const { channel, ms } of store.asked(config.changedAt())) deliverer.block(channel, ms)
}
