import { release } from 'node:os'
import { isAbsolute, join } from 'node:path'
import * as z from 'zod'
import { staysShown } from '../delivery.ts'
import { packageRoot } from '../package-root.ts'
import { signOf } from './_kind-signs.ts'
import { boundLine, boundText, sessionOf } from './_text.ts'
import { defineNotifier, type Message, tooLate } from './define.ts'
import { fitRows, rowsOf } from './desktop/fit-rows.ts'
import { showByNodeNotifier } from './desktop/node-notifier.ts'
import {
  showByNotifySend,
  updateNotification,
  withdrawNotification,
} from './desktop/notify-send.ts'
import { runTool } from './desktop/run-tool.ts'
import { soundOf, soundOption, startSound } from './desktop/sound.ts'
import {
  type Notice,
  notifySendCommand,
  osascript,
  powershell,
  type Tool,
} from './desktop/tools.ts'

// One argument of a program is limited to 128 KiB.
const TITLE_LENGTH = 200
const BODY_LENGTH = 3000
/** Three rows on the desktop. */
const SESSION_LENGTH = 148
/** More cover the screen on Xfce, MATE and LXQt, with the title and the dismiss button outside of the screen. */
const ROWS = 13
/** GNOME shows six rows, and cuts off the others without a sign. */
const FEW_ROWS = 6

const desktopOptions = z.strictObject({
  sound: soundOption,
  timeoutSeconds: z
    .int()
    .min(0)
    .max(3600)
    .default(10)
    .describe(
      'How long it is shown; 0: until it is dismissed. A question, and any critical message, stays until it is answered',
    ),
})

export const desktop = defineNotifier({
  name: 'desktop',
  title: 'Desktop',
  summarizes: true,
  options: desktopOptions,
  compose: (message, options, { now }) => ({
    body: argumentsOf(noticeOf(message, options, now)),
  }),
  canReplace: hasNotifySend,
  async send(message, options, context) {
    const { signal, now, isQuiet } = context
    if (signal.aborted) throw tooLate('desktop', signal)
    const notice = noticeOf(message, { ...options, ...(isQuiet && { sound: false }) }, now)
    if (hasNotifySend()) return await showByNotifySend(notice, context)
    const { tool, nodeNotifierFirst } = chooseBackend(notice)
    const shown = nodeNotifierFirst && (await showByNodeNotifier(notice, signal))
    if (signal.aborted) throw tooLate('desktop', signal)
    if (!shown) await runTool(tool, signal)
    // These programs know only the sounds of the system. Without its sound a message is shown all the same.
    if (notice.sound && isAbsolute(notice.sound))
      await startSound(notice.sound, signal).catch(() => {})
    const by = `shown by ${shown ? 'node-notifier' : tool.file}`
    return message.urgency === 'critical' ? `${by}, which cannot withdraw it later` : by
  },
  async withdraw(handle, _, context) {
    if (context.signal.aborted) throw tooLate('desktop', context.signal)
    return await withdrawNotification(handle, context)
  },
  async update(handle, message, options, context) {
    if (context.signal.aborted) throw tooLate('desktop', context.signal)
    const notice = noticeOf(message, { ...options, sound: false }, context.now)
    return await updateNotification(handle, notice, context)
  },
})

function noticeOf(
  message: Message,
  {
    sound: option,
    timeoutSeconds,
  }: Pick<z.output<typeof desktopOptions>, 'sound' | 'timeoutSeconds'>,
  now: number,
): Notice {
  const text = boundText(message.body, BODY_LENGTH)
  const session = boundLine(sessionOf(message, now), SESSION_LENGTH)
  const origin = session && `— ${session}`
  const bodyIn = (rows: number) =>
    [fitRows(text, Math.max(2, rows - rowsOf(origin))), origin].filter(Boolean).join('\n')
  const sound = soundOf(message, option)
  const { icon } = signOf(message.asks ? 'permission' : message.kind) ?? {}
  return {
    title: boundLine(message.title, TITLE_LENGTH) || 'hookbell',
    body: bodyIn(ROWS),
    shortBody: bodyIn(FEW_ROWS),
    ...(icon && { icon: join(packageRoot(), 'icons', `${icon}.png`) }),
    urgency: message.urgency,
    ...(sound !== undefined && { sound }),
    timeoutSeconds: message.urgency === 'critical' ? 0 : timeoutSeconds,
    stays: staysShown(message),
  }
}

/** The program and its arguments. On Windows, where the argument is a script, the notice that it shows. */
function argumentsOf(notice: Notice): object {
  if (hasNotifySend()) return notifySendCommand(notice)
  const { shortBody: _, ...shown } = notice
  if (process.platform !== 'darwin') return shown
  const { file, args } = osascript(notice)
  return { file, args }
}

/** Linux and the BSDs, but not WSL, which has no desktop of its own but can run Windows programs. */
function hasNotifySend(): boolean {
  if (['win32', 'darwin'].includes(process.platform)) return false
  return !(process.platform === 'linux' && /microsoft/i.test(release()))
}

/**
 * node-notifier is the first choice where it passes the text on unchanged. It is never used on Linux:
 * it runs `notify-send "title" "body"` in a shell, so that a text such as `--help` is read as an option
 * (and counts as shown, since the status is 0); it uses the desktop of our environment, not of the
 * session's; and it gives no access to the child process, so that a timeout could not end it.
 */
function chooseBackend(notice: Notice): { tool: Tool; nodeNotifierFirst: boolean } {
  if (process.platform === 'darwin') {
    return { tool: osascript(notice), nodeNotifierFirst: canUseTerminalNotifier(notice) }
  }
  return { tool: powershell(notice), nodeNotifierFirst: process.platform === 'win32' }
}

/**
 * node-notifier's program for macOS is built for Intel processors and parses each text as a property
 * list, in which brackets, quotes, backslashes and a leading minus have a meaning.
 */
function canUseTerminalNotifier({ title, body }: Notice): boolean {
  return (
    process.arch === 'x64' && [title, body].every((text) => /^[\p{L}\p{N}][^"$`\\\n]*$/u.test(text))
  )
}
