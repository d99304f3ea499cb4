import type { Notice } from './tools.ts'

// node-notifier's programs run until the notification is gone, but fail at once if they cannot start.
const SETTLED_MS = 2000

/** Shows a notification with node-notifier. False if that failed, so that another tool can be tried. */
export async function showByNodeNotifier(notice: Notice, signal: AbortSignal): Promise<boolean> {
  const nodeNotifier = await load()
  if (!nodeNotifier) return false
  return new Promise((resolve) => {
    const settle = (shown: boolean) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolve(shown)
    }
    const stop = () => settle(false)
    const timer = setTimeout(settle, SETTLED_MS, true)
    signal.addEventListener('abort', stop, { once: true })
    try {
      nodeNotifier.notify(toOptions(notice), (error, answer) => settle(isShown(error, answer)))
    } catch {
      // It throws synchronously on texts that cannot be arguments of a program.
      settle(false)
    }
  })
}

/** Undefined in the installed copy of the worker, which ships no packages: node-notifier has several megabytes. */
async function load() {
  return await import('node-notifier').then(
    (module) => module.default,
    () => undefined,
  )
}

/** node-notifier refuses an empty message, and reinterprets texts that are not strings. */
function toOptions({ title, body, icon, sound, timeoutSeconds }: Notice) {
  const timeout = timeoutSeconds || 3600
  const isOn = sound !== undefined
  return { title, message: body || ' ', ...(icon && { icon }), sound: isOn, timeout }
}

/** Output on stderr arrives as an error too, but as a string; output that is not JSON, as a SyntaxError. */
function isShown(error: unknown, answer: unknown): boolean {
  if (error instanceof Error && !(error instanceof SyntaxError)) return false
  // The Windows backend hides that its program is missing or blocked, but then has no answer.
  return process.platform !== 'win32' || Boolean(answer)
}
