import { askProgram } from '../_ask-program.ts'

/** The only variables that `notify-send` and similar tools need. */
export type BusEnv = Readonly<Record<string, string | undefined>>

/** The notification daemon. */
export const NOTIFICATIONS = {
  to: 'org.freedesktop.Notifications',
  path: '/org/freedesktop/Notifications',
}

interface BusCall {
  to: string
  path: string
  method: string
  value?: { type: 'string' | 'uint32'; text: string }
}

/** Only a daemon that hangs takes longer to answer, also on a busy machine. */
const LIMIT_SECONDS = 10

/** Programs that can call a method on the session bus. Most desktops have all of them. */
const tools: Record<string, (call: BusCall) => string[]> = {
  'dbus-send': ({ to, path, method, value }) => [
    '--session',
    '--print-reply=literal',
    `--reply-timeout=${LIMIT_SECONDS * 1000}`,
    `--dest=${to}`,
    path,
    `${interfaceOf(path)}.${method}`,
    ...(value ? [`${value.type}:${value.text}`] : []),
  ],
  gdbus: ({ to, path, method, value }) => [
    'call',
    '--session',
    `--timeout=${LIMIT_SECONDS}`,
    `--dest=${to}`,
    `--object-path=${path}`,
    `--method=${interfaceOf(path)}.${method}`,
    ...(value ? [value.text] : []),
  ],
  busctl: ({ to, path, method, value }) => [
    '--user',
    `--timeout=${LIMIT_SECONDS}`,
    'call',
    to,
    path,
    interfaceOf(path),
    method,
    ...(value ? [value.type.slice(0, 1), value.text] : []),
  ],
}

function interfaceOf(path: string): string {
  return path.slice(1).replaceAll('/', '.')
}

/**
 * Calls a method on the session bus. Never throws.
 * @returns `isLate` if there was no answer in time; undefined where no program is installed that can call
 */
export async function callBus(call: BusCall, env: BusEnv, signal: AbortSignal) {
  for (const [file, argsFor] of Object.entries(tools)) {
    const { code, failed, stdout, stderr } = await askProgram(file, argsFor(call), { env, signal })
    if (code === 'ENOENT') continue
    // As dbus-send, gdbus and busctl say it.
    const isLate = failed && !signal.aborted && /NoReply|Timeout|timed out/.test(stderr)
    return { ok: !failed, text: failed ? stderr : stdout, isLate }
  }
  return undefined
}
