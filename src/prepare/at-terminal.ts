import type { Config } from '../config/schema/schema.ts'
import { hasSharedServer } from '../context/of-client.ts'
import type { AgentEvent } from '../event/event.ts'
import { isAttended } from '../notifiers/index.ts'
import { afterTurns } from '../patience.ts'

/** How long a tmux that does not answer may delay its event. */
const PATIENCE_MS = 1000

/** Whether a person is at the terminal of the session; undefined if that is unknown or does not matter. */
export async function findAtTerminal(
  { client, kind, env }: Pick<AgentEvent, 'client' | 'kind' | 'env'>,
  { noise }: Pick<Config, 'noise'>,
): Promise<boolean | undefined> {
  if (!noise.skipAtTerminal || kind === 'permission') return undefined
  if (await hasSharedServer(client)) return undefined
  const patience = new AbortController()
  const cancel = afterTurns(PATIENCE_MS, () => patience.abort())
  return await isAttended(env, patience.signal)
    .catch(() => undefined)
    .finally(cancel)
}
