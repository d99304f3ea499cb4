import { askProgram } from './_ask-program.ts'

/**
 * A notification on a Linux desktop: the number that it got, and the program that gave it, by its
 * unique name on the session bus. A program that is started anew numbers from the beginning, and
 * would take an old number for a notification of somebody else.
 */
export interface Shown {
  owner: string
  id: number
}

/** `notify-send` and its like need nothing but these. */
type BusEnv = Readonly<Record<string, string | undefined>>

export function formatHandle({ owner, id }: Shown): string {
  return `${owner}/${id}`
}

/** Undefined where a handle is not one of ours. */
export function parseHandle(handle: string): Shown | undefined {
  const [, owner, id] = /^(:\d{1,9}\.\d{1,9})\/([1-9]\d{0,9})$/.exec(handle) ?? []
  return owner && id ? { owner, id: Number(id) } : undefined
}

/** Options with which notify-send says the number, and shows the text in the place of another. */
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

/** Who shows notifications now, by the unique name; undefined where nobody does or no tool is there to ask. */
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
 * Takes a notification off the screen. `gone` where it is not there any more, `unable` where no tool
 * can ask for it. Never throws.
 */
export async function closeNotification(
  { owner, id }: Shown,
  env: BusEnv,
  signal: AbortSignal,
): Promise<'closed' | 'gone' | 'unable'> {
  const call = {
    // Not the well-known name: whoever has that now may not be who showed it.
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
