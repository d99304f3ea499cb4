import { busEnv, type Notice, notifySend } from './_desktop.ts'
import {
  closeNotification,
  formatHandle,
  handleArgs,
  isTooOldForHandles,
  notificationsOwner,
  parseHandle,
  printedId,
  type Shown,
} from './_notification-ids.ts'
import { runTool } from './_run-tool.ts'
import { DeliveryError, type SendContext, type Sent } from './define.ts'

type Context = Pick<SendContext, 'signal' | 'sessionEnv' | 'replaces'>

/**
 * Shows a notification on Linux and the BSDs. One that stays, or that takes the place of another, has a handle, where
 * notify-send is not too old (0.7.10) to tell its number.
 */
export async function showByNotifySend(notice: Notice, context: Context): Promise<Sent> {
  const { signal, sessionEnv, replaces } = context
  const isKept = notice.timeoutSeconds === 0 || replaces !== undefined
  if (!isKept) {
    await runTool(notifySend(notice, sessionEnv), signal)
    return 'shown by notify-send'
  }
  const before = await stillShown(replaces, context)
  try {
    const stdout = await runTool(notifySend(notice, sessionEnv, handleArgs(before)), signal)
    const answer = `shown by notify-send${before ? ', in the place of the one before' : ''}`
    return await withHandle(answer, printedId(stdout), before, context)
  } catch (error) {
    if (!(error instanceof DeliveryError) || !isTooOldForHandles(error.message)) throw error
    await runTool(notifySend(notice, sessionEnv), signal)
    return 'shown by notify-send, which is too old to withdraw it later'
  }
}

/** Takes a notification off the screen. @throws DeliveryError where nothing can ask for that */
export async function withdrawNotification(
  handle: string,
  { signal, sessionEnv }: Context,
): Promise<string> {
  const shown = parseHandle(handle)
  if (!shown) return 'it was not ours'
  const result = await closeNotification(shown, busEnv(sessionEnv), signal)
  if (signal.aborted) throw new DeliveryError('retry', 'desktop: timed out')
  if (result === 'closed') return 'taken off the screen'
  if (result === 'gone') return 'it was gone already'
  throw new DeliveryError('unavailable', 'desktop: no program here can close a notification', {
    hint: 'Install one of dbus-send, gdbus and busctl',
  })
}

/** A program that was started anew would take the old number for a notification of somebody else. */
async function stillShown(
  handle: string | undefined,
  { signal, sessionEnv }: Context,
): Promise<Shown | undefined> {
  const before = handle === undefined ? undefined : parseHandle(handle)
  if (!before) return undefined
  const owner = await notificationsOwner(busEnv(sessionEnv), signal)
  return owner === before.owner ? before : undefined
}

async function withHandle(
  answer: string,
  id: number | undefined,
  before: Shown | undefined,
  { signal, sessionEnv }: Context,
): Promise<Sent> {
  if (id === undefined) return answer
  // Asked afterwards: showing a notification may have started the program that shows it.
  const owner = before?.owner ?? (await notificationsOwner(busEnv(sessionEnv), signal))
  return owner ? { answer, handle: formatHandle({ owner, id }) } : answer
}
