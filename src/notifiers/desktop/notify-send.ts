import { DeliveryError, type SendContext, type Sent, tooLate } from '../define.ts'
import { abilitiesOf, isGnomeShell } from './daemon.ts'
import { showWaiting } from './gnome-queue.ts'
import {
  closeNotification,
  formatHandle,
  handleArgs,
  isTooOldForHandles,
  notificationsOwner,
  parseHandle,
  printedId,
  type Shown,
} from './notification-ids.ts'
import { runTool } from './run-tool.ts'
import { startSound } from './sound.ts'
import { busEnv, type Notice, notifySend } from './tools.ts'

type Context = Pick<SendContext, 'signal' | 'sessionEnv' | 'replaces'>

/**
 * Shows a notification on Linux and the BSDs. One that stays on the screen, or that replaces another, gets a handle,
 * unless notify-send is older than 0.7.10, which cannot print its number.
 */
export async function showByNotifySend(asked: Notice, context: Context): Promise<Sent> {
  const notice = await forDaemon(asked, context)
  const sent = await show(notice, context)
  // Without its sound a message is shown all the same.
  if (notice.sound && !notice.playsSounds)
    await startSound(notice.sound, context.signal).catch(() => {})
  return sent
}

async function show(notice: Notice, context: Context): Promise<Sent> {
  const { signal, sessionEnv, replaces } = context
  const isKept = notice.stays || notice.timeoutSeconds === 0 || replaces !== undefined
  if (!isKept) {
    await runTool(await notifySend(notice, sessionEnv), signal)
    return 'shown by notify-send'
  }
  const before = await stillShown(replaces, context)
  try {
    const stdout = await runTool(await notifySend(notice, sessionEnv, handleArgs(before)), signal)
    const answer = `shown by notify-send${before ? ', replacing the earlier one' : ''}`
    return await withHandle(answer, printedId(stdout), before, context)
  } catch (error) {
    if (!(error instanceof DeliveryError) || !isTooOldForHandles(error.message)) throw error
    await runTool(await notifySend({ ...notice, stays: false }, sessionEnv), signal)
    return 'shown by notify-send, which is too old to withdraw it later'
  }
}

/**
 * Replaces the text of a notification, unless the daemon that showed it is gone. One that was dismissed is shown again,
 * by some daemons (mako) with a new number. @returns its handle @throws DeliveryError
 */
export async function updateNotification(
  handle: string,
  asked: Notice,
  context: Context,
): Promise<string> {
  const before = await stillShown(handle, context)
  if (!before) return handle
  const { signal, sessionEnv } = context
  const notice = await forDaemon(asked, context)
  const stdout = await runTool(await notifySend(notice, sessionEnv, handleArgs(before)), signal)
  return formatHandle({ ...before, id: printedId(stdout) ?? before.id })
}

/** Closes a notification. @throws DeliveryError on a timeout, or where no program can close one */
export async function withdrawNotification(
  handle: string,
  { signal, sessionEnv }: Context,
): Promise<string> {
  const shown = parseHandle(handle)
  if (!shown) return 'not a notification of hookbell'
  const env = await busEnv(sessionEnv)
  const result = await closeNotification(shown, env, signal)
  if (signal.aborted) throw tooLate('desktop', signal)
  if (result === 'closed') {
    if (await isGnomeShell(env, signal)) await showWaiting(shown, env, signal)
    return 'taken off the screen'
  }
  if (result === 'gone') return 'it was gone already'
  throw new DeliveryError('unavailable', 'desktop: no program here can close a notification', {
    hint: 'Install one of dbus-send, gdbus and busctl',
  })
}

async function forDaemon(notice: Notice, { signal, sessionEnv }: Context): Promise<Notice> {
  const { body, shortBody = body } = notice
  const env = await busEnv(sessionEnv)
  const { readsMarkup, playsSounds } = await abilitiesOf(env, signal)
  const isShort = body !== shortBody && (await isGnomeShell(env, signal))
  return {
    ...notice,
    deniesMarkup: !readsMarkup,
    // notify-send takes no hint with another colon.
    playsSounds: playsSounds && !notice.sound?.includes(':'),
    body: isShort ? shortBody : body,
  }
}

/** The earlier notification, unless the daemon was restarted: its number may now mean another program's. */
async function stillShown(
  handle: string | undefined,
  { signal, sessionEnv }: Context,
): Promise<Shown | undefined> {
  const before = handle === undefined ? undefined : parseHandle(handle)
  if (!before) return undefined
  const owner = await notificationsOwner(await busEnv(sessionEnv), signal)
  return owner === before.owner ? before : undefined
}

async function withHandle(
  answer: string,
  id: number | undefined,
  before: Shown | undefined,
  { signal, sessionEnv }: Context,
): Promise<Sent> {
  if (id === undefined) return answer
  // Looked up afterwards, because showing the notification may have started the daemon.
  const owner = before?.owner ?? (await notificationsOwner(await busEnv(sessionEnv), signal))
  return owner ? { answer, handle: formatHandle({ owner, id }) } : answer
}
