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

/** Programs that can call a method on the session bus. Most desktops have all of them. */
const tools: Record<string, (call: BusCall) => string[]> = {
  'dbus-send': ({ to, path, method, value }) => [
    '--session',
    '--print-reply=literal',
    '--reply-timeout=5000',
    `--dest=${to}`,
    path,
    `${interfaceOf(path)}.${method}`,
    ...(value ? [`${value.type}:${value.text}`] : []),
  ],
  gdbus: ({ to, path, method, value }) => [
    'call',
    '--session',
    '--timeout=5',
    `--dest=${to}`,
    `--object-path=${path}`,
    `--method=${interfaceOf(path)}.${method}`,
    ...(value ? [value.text] : []),
  ],
  busctl: ({ to, path, method, value }) => [
    '--user',
    '--timeout=5',
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

/** Calls a method on the session bus. @returns undefined where no program is installed that can. Never throws */
export async function callBus(call: BusCall, env: BusEnv, signal: AbortSignal) {
  for (const [file, argsFor] of Object.entries(tools)) {
    const { code, failed, stdout, stderr } = await askProgram(file, argsFor(call), { env, signal })
    if (code !== 'ENOENT') return { ok: !failed, text: failed ? stderr : stdout }
  }
  return undefined
}
