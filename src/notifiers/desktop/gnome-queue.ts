import type { Urgency } from '../../delivery.ts'
import { askProgram } from '../_ask-program.ts'
import type { BusEnv } from './bus.ts'
import { closeNotification, handleArgs, printedId, type Shown } from './notification-ids.ts'

/**
 * Makes GNOME Shell (seen with 43) show the notifications that waited behind one that was withdrawn: else it shows them
 * only when the next one arrives. Never throws.
 */
export async function showWaiting(withdrawn: Shown, env: BusEnv, signal: AbortSignal) {
  // The numbers count up, so that of an invisible notification shows whether any came after the withdrawn one.
  const next = await showAndClose('low', withdrawn, env, signal)
  if (next === undefined || next <= withdrawn.id + 1) return
  await showAndClose('normal', withdrawn, env, signal)
  // Do-not-disturb lets nothing else through.
  await showAndClose('critical', withdrawn, env, signal)
}

/** Shows an empty notification for a moment; GNOME does not draw one of low urgency. @returns its number */
async function showAndClose(
  urgency: Urgency,
  { owner }: Shown,
  env: BusEnv,
  signal: AbortSignal,
): Promise<number | undefined> {
  const args = ['--app-name=hookbell', `--urgency=${urgency}`, '--hint=boolean:transient:true']
  const all = [...args, ...handleArgs(), '--', 'hookbell']
  const { stdout } = await askProgram('notify-send', all, { env, signal })
  const id = printedId(stdout)
  if (id !== undefined) await closeNotification({ owner, id }, env, signal)
  return id
}
