import { lstat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { askProgram } from '../_ask-program.ts'
import { type SendContext, tooLate } from '../define.ts'

/** The tmux format that prints these variables, separated by `|`. */
export function formatOf(names: readonly string[]): string {
  return names.map((name) => `#{${name}}`).join('|')
}

/**
 * Runs a command of the tmux server that a session runs in.
 * @returns its output; undefined if there is no such server, it is not ours, or the command fails
 * @throws DeliveryError on a timeout
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
  if (isCanceled) throw tooLate('terminal', signal, 'tmux did not answer')
  return failed ? undefined : stdout
}

/** Another user's tmux would learn which pane is ours, and could name another terminal. */
async function isOwnSocket(path: string): Promise<boolean> {
  if (!isAbsolute(path)) return false
  const stat = await lstat(path).catch(() => undefined)
  return stat?.isSocket() === true && stat.uid === process.getuid?.()
}
