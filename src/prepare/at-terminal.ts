import type { Config } from '../config/schema.ts'
import type { AgentEvent } from '../event/event.ts'
import { isAttended } from '../notifiers/index.ts'

/** A tmux that does not answer holds up its event no longer. */
const PATIENCE_MS = 1000

/** Whether a person is at the terminal of the session; undefined where nobody knows, or where it does not matter. */
export async function findAtTerminal(
  { kind, env }: Pick<AgentEvent, 'kind' | 'env'>,
  { noise }: Pick<Config, 'noise'>,
): Promise<boolean | undefined> {
  if (!noise.skipAtTerminal || kind === 'permission') return undefined
  return await isAttended(env, AbortSignal.timeout(PATIENCE_MS)).catch(() => undefined)
}
