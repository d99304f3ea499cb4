import { release } from 'node:os'
import { dirname } from 'node:path'
import * as z from 'zod'
import {
  type Notice,
  notifySend,
  notifySendCommand,
  osascript,
  powershell,
  type Tool,
  toolFailure,
} from './_desktop.ts'
import { showByNodeNotifier } from './_node-notifier.ts'
import { boundLine, boundText, sessionOf } from './_text.ts'
import { DeliveryError, defineNotifier, type Message, type SendContext } from './define.ts'

// No desktop shows more, and one argument may have 128 KiB at most.
const TITLE_LENGTH = 200
const BODY_LENGTH = 3000

export const desktop = defineNotifier({
  name: 'desktop',
  title: 'Desktop',
  summarizes: true,
  options: z.strictObject({
    sound: z.boolean().default(false).describe("Play the desktop's sound for messages"),
    timeoutSeconds: z
      .int()
      .min(0)
      .max(3600)
      .default(10)
      .describe('How long it is shown; 0 is until it is dismissed'),
  }),
  compose: (message, options, { now }) => ({
    body: argumentsOf(noticeOf(message, options, now)),
  }),
  async send(message, options, { signal, sessionEnv, now }) {
    if (signal.aborted) throw timedOut()
    const notice = noticeOf(message, options, now)
    const { tool, nodeNotifierFirst } = chooseBackend(notice, sessionEnv)
    const shown = nodeNotifierFirst && (await showByNodeNotifier(notice, signal))
    if (signal.aborted) throw timedOut()
    return shown ? 'shown by node-notifier' : await runTool(tool, signal)
  },
})

function noticeOf(
  message: Message,
  { sound, timeoutSeconds }: { sound: boolean; timeoutSeconds: number },
  now: number,
): Notice {
  const body = boundText(message.body, BODY_LENGTH)
  const session = boundLine(sessionOf(message, now), TITLE_LENGTH)
  return {
    title: boundLine(message.title, TITLE_LENGTH) || 'hookbell',
    body: [body, session && `— ${session}`].filter(Boolean).join('\n'),
    urgency: message.urgency,
    sound,
    timeoutSeconds,
  }
}

/** The program and its arguments; of Windows, where those are a script, the notice that it shows. */
function argumentsOf(notice: Notice): object {
  if (process.platform === 'win32' || isWsl()) return notice
  const isMac = process.platform === 'darwin'
  const { file, args } = isMac ? osascript(notice) : notifySendCommand(notice)
  return { file, args }
}

/**
 * node-notifier is the first choice where it carries the text as it is. On Linux it never is:
 * it has a shell run `notify-send "title" "body"`, so that a text such as `--help` is an option
 * (and counts as shown, since the status is 0); it takes the desktop from our environment, not from
 * the session's; and it gives no hold on the child, so that nothing ends it when the time is up.
 */
function chooseBackend(notice: Notice, sessionEnv: SendContext['sessionEnv']) {
  if (process.platform === 'win32') return { tool: powershell(notice), nodeNotifierFirst: true }
  if (process.platform === 'darwin') {
    return { tool: osascript(notice), nodeNotifierFirst: carriedByTerminalNotifier(notice) }
  }
  const tool = isWsl() ? powershell(notice) : notifySend(notice, sessionEnv)
  return { tool, nodeNotifierFirst: false }
}

/**
 * The program in node-notifier is for Intel processors, and reads each text as a property list:
 * brackets, quotes, backslashes and a leading minus have a meaning there.
 */
function carriedByTerminalNotifier({ title, body }: Notice): boolean {
  return (
    process.arch === 'x64' && [title, body].every((text) => /^[\p{L}\p{N}][^"$`\\\n]*$/u.test(text))
  )
}

/** Linux under Windows: there is no desktop of its own, but Windows programs can be run. */
function isWsl(): boolean {
  return process.platform === 'linux' && /microsoft/i.test(release())
}

async function runTool(tool: Tool, signal: AbortSignal): Promise<string> {
  const { execa } = await import('execa')
  const result = await execa(tool.file, tool.args, {
    env: tool.env,
    extendEnv: false,
    input: tool.input ?? '',
    cancelSignal: signal,
    killSignal: 'SIGKILL',
    maxBuffer: 100_000,
    reject: false,
    // Ours may have been deleted.
    cwd: dirname(process.execPath),
  })
  if (!result.failed) return `shown by ${tool.file}`
  if (result.isCanceled) throw timedOut()
  // Not execa's own message: it repeats the arguments.
  const text = result.stderr || result.originalMessage || `exit status ${result.exitCode}`
  throw toolFailure(tool.file, { code: result.code, text })
}

function timedOut(): DeliveryError {
  return new DeliveryError('retry', 'desktop: timed out')
}
