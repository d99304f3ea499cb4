import { readyChannels } from '../config/channels.ts'
import type { Config } from '../config/schema/schema.ts'
import type { Delivery } from '../delivery.ts'
import { notifierOf } from '../notifiers/index.ts'
import { terminal } from '../notifiers/terminal.ts'
import { withDeadline } from './attempt.ts'

/** A channel that exists even if the configuration does not define it. */
export const DESKTOP_OF_LAST_RESORT = 'desktop'

const BELL_MS = 5000

/** Whether messages on the channel are for people. A channel that only keeps a record, such as a file, is not. */
export function disturbsSomebody(channel: string, config: Pick<Config, 'channels'>): boolean {
  return notifierOf(channel, config)?.isRecord !== true
}

/** Whether messages on the channel arrive in the order in which their sending began, even if they overlap in time. */
export function keepsOrder(channel: string, config: Pick<Config, 'channels'>): boolean {
  return notifierOf(channel, config)?.keepsOrder === true
}

/** Channels that people read, in the order of the configuration. */
export function readChannels(config: Pick<Config, 'channels'>): string[] {
  return readyChannels(config).filter((name) => notifierOf(name, config)?.summarizes)
}

/** Rings the bell of the terminal that the message comes from. @returns whether it did; never throws */
export async function ringBell({ message, sessionEnv }: Delivery): Promise<boolean> {
  try {
    await withDeadline(BELL_MS, (signal) =>
      terminal.send(message, { mode: 'bell' }, { signal, attempt: 1, now: Date.now(), sessionEnv }),
    )
    return true
  } catch {
    return false
  }
}
