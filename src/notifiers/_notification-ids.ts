import { askProgram } from './_ask-program.ts'

/**
 * A notification on a Linux desktop: its number, and the notification daemon that assigned it, by
 * its unique name on the session bus. A restarted daemon counts from the beginning, so that an old
 * number may then mean a notification of another program.
 */
export interface Shown {
  owner: string
  id: number
}

/** The only variables that `notify-send` and similar tools need. */
type BusEnv = Readonly<Record<string, string | undefined>>

export function formatHandle({ owner, id }: Shown): string {
  return `${owner}/${id}`
}

/** Undefined where a handle is not one of ours. */
export function parseHandle(handle: string): Shown | undefined {
  const [, owner, id] = /^(:\d{1,9}\.\d{1,9})\/([1-9]\d{0,9})$/.exec(handle) ?? []
  return owner && id ? { owner, id: Number(id) } : undefined
}

/** Options that make notify-send print the number, and replace an earlier notification. */
export function handleArgs(replaces?: Shown): string[] {
  return ['--print-id', ...(replaces ? [`--replace-id=${replaces.id}`] : [])]
}

/** The number that notify-send printed. */
export function printedId(stdout: string): number | undefined {
  const [, id] = /^([1-9]\d{0,9})\s*$/.exec(stdout) ?? []
  return id === undefined ? undefined : Number(id)
}

/** Whether notify-send is older than 0.7.10, and has to be called without `handleArgs`. */
export function isTooOldForHandles(stderr: string): boolean {
  return /unknown option/i.test(stderr)
}

/** The unique name of the running notification daemon; undefined if there is none, or no tool to ask for it. */
export async function notificationsOwner(
  env: BusEnv,
  signal: AbortSignal,
): Promise<string | undefined> {
  const name = 'org.freedesktop.Notifications'
  const call = { to: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', method: 'GetNameOwner' }
  const answer = await callBus({ ...call, type: 'string', value: name }, env, signal)
  return answer && /:\d+\.\d+/.exec(answer.text)?.[0]
}

/**
 * Closes a notification. `gone`: it is no longer shown. `unable`: no tool is installed that can
 * close it. Never throws.
 */
export async function closeNotification(
  { owner, id }: Shown,
  env: BusEnv,
  signal: AbortSignal,
): Promise<'closed' | 'gone' | 'unable'> {
  const call = {
    // Not the well-known name, which may belong to another daemon by now.
    to: owner,
    path: '/org/freedesktop/Notifications',
    method: 'CloseNotification',
  }
  const answer = await callBus({ ...call, type: 'uint32', value: String(id) }, env, signal)
  if (!answer) return 'unable'
  return answer.ok ? 'closed' : 'gone'
}

interface BusCall {
  to: string
  path: string
  method: string
  type: 'string' | 'uint32'
  value: string
}

/** Programs that can call a method on the session bus. Most desktops have all of them. */
const tools: Record<string, (call: BusCall) => string[]> = {
  'dbus-send': ({ to, path, method, type, value }) => [
    '--session',
    '--print-reply=literal',
    '--reply-timeout=5000',
    `--dest=${to}`,
    path,
    `${interfaceOf(path)}.${method}`,
    `${type}:${value}`,
  ],
  gdbus: ({ to, path, method, value }) => [
    'call',
    '--session',
    '--timeout=5',
    `--dest=${to}`,
    `--object-path=${path}`,
    `--method=${interfaceOf(path)}.${method}`,
    value,
  ],
  busctl: ({ to, path, method, type, value }) => [
    '--user',
    '--timeout=5',
    'call',
    to,
    path,
    interfaceOf(path),
    method,
    type.slice(0, 1),
    value,
  ],
}

function interfaceOf(path: string): string {
  return path.slice(1).replaceAll('/', '.')
}

async function callBus(call: BusCall, env: BusEnv, signal: AbortSignal) {
  for (const [file, argsFor] of Object.entries(tools)) {
    const result = await askProgram(file, argsFor(call), { env, signal })
    if (result.code !== 'ENOENT') return { ok: !result.failed, text: result.stdout }
  }
  return undefined
}
