import type { Notice } from './_desktop.ts'

// The programs in node-notifier stay until the notification is gone. One that cannot start says so at once.
const SETTLED_MS = 2000

/** Shows a notification by node-notifier. False where it could not, so that another way may be tried. */
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
      // It throws at once on texts that no program can take.
      settle(false)
    }
  })
}

/** The private copy of the worker has no packages beside it: node-notifier brings programs of several megabytes. */
async function load() {
  return await import('node-notifier').then(
    (module) => module.default,
    () => undefined,
  )
}

/** It refuses an empty message. Strings only: it makes something else of other values. */
function toOptions({ title, body, sound, timeoutSeconds }: Notice) {
  return { title, message: body || ' ', sound, timeout: timeoutSeconds || 3600 }
}

/** What programs write to stderr arrives as an error too, but as a string; what is no JSON, as a SyntaxError. */
function isShown(error: unknown, answer: unknown): boolean {
  if (error instanceof Error && !(error instanceof SyntaxError)) return false
  // The Windows backend hides that its program is missing or blocked, but then has no answer.
  return process.platform !== 'win32' || Boolean(answer)
}
