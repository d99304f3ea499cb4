import { lstat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { askProgram } from './_ask-program.ts'
import { DeliveryError, type SendContext } from './define.ts'

/** What tmux prints of each of these names, with `|` between them. */
export function formatOf(names: readonly string[]): string {
  return names.map((name) => `#{${name}}`).join('|')
}

/**
 * Asks the tmux that a session runs in.
 * @returns undefined where it is not there, is not ours, or has no answer
 * @throws DeliveryError where it does not answer in time
 */
export async function runTmux(
  { TMUX }: SendContext['sessionEnv'],
  args: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const socket = TMUX?.split(',')[0] ?? ''
  if (!(await isOwnSocket(socket))) return undefined
  const words = ['-S', socket, ...args]
  const { stdout, failed, isCanceled } = await askProgram('tmux', words, { signal })
  if (isCanceled) throw new DeliveryError('retry', 'terminal: tmux did not answer in time')
  return failed ? undefined : stdout
}

/** Somebody else's socket would be told where our terminals are, and could name another one. */
async function isOwnSocket(path: string): Promise<boolean> {
  if (!isAbsolute(path)) return false
  const stat = await lstat(path).catch(() => undefined)
  return stat?.isSocket() === true && stat.uid === process.getuid?.()
}
