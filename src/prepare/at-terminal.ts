import { stat } from 'node:fs/promises'
import type { Config } from '../config/schema/schema.ts'
import { hasSharedServer } from '../context/of-client.ts'
import type { AgentEvent } from '../event/event.ts'
import { ttyName } from '../notifiers/terminal/place.ts'

/** The maximum age of the last key press. At most the default `minSeconds`, so that typing the prompt does not count. */
const TYPING_MS = 15_000

/**
 * Whether a person is at the terminal of the session, as far as the terminal itself shows it: somebody typed in it, or in
 * its pane of tmux. Undefined if that is unknown, as most often, or does not matter.
 */
export async function findAtTerminal(
  { client, kind, env }: Pick<AgentEvent, 'client' | 'kind' | 'env'>,
  { noise }: { noise: Pick<Config['noise'], 'skipAtTerminal'> },
  now = Date.now(),
): Promise<true | undefined> {
  const path = ttyName(env.HOOKBELL_TTY)
  if (!noise.skipAtTerminal || kind === 'permission' || path === undefined) return undefined
  if (await hasSharedServer(client)) return undefined
  return (await isTypedIn(path, now).catch(() => false)) || undefined
}

/** When somebody typed in the terminal of a session last, Unix ms, as far as that can be seen. */
export async function typedAt(env: AgentEvent['env']): Promise<number | undefined> {
  const path = ttyName(env.HOOKBELL_TTY)
  const found = path === undefined ? undefined : await stat(path).catch(() => undefined)
  return found?.uid === process.getuid?.() ? found?.atimeMs : undefined
}

/** By the access time of the terminal: when a program last read from it, accurate to eight seconds. */
async function isTypedIn(path: string, now: number): Promise<boolean> {
  const { uid, atimeMs } = await stat(path)
  return uid === process.getuid?.() && now - atimeMs < TYPING_MS
}
