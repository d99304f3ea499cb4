import { type BusEnv, callBus, NOTIFICATIONS } from './bus.ts'
import { doesNotAnswer } from './daemon.ts'

/**
 * A notification on a Linux desktop: its number, and the notification daemon that assigned it, by
 * its unique name on the session bus. A restarted daemon counts from the beginning, so that an old
 * number may then mean a notification of another program.
 */
export interface Shown {
  owner: string
  id: number
}

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
  const call = { to: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', method: 'GetNameOwner' }
  const value = { type: 'string', text: NOTIFICATIONS.to } as const
  const answer = await callBus({ ...call, value }, env, signal)
  return answer && /:\d+\.\d+/.exec(answer.text)?.[0]
}

/**
 * Closes a notification. `gone`: it is no longer shown. `unable`: no tool is installed that can
 * close it.
 * @throws DeliveryError if the daemon does not answer
 */
export async function closeNotification(
  { owner, id }: Shown,
  env: BusEnv,
  signal: AbortSignal,
): Promise<'closed' | 'gone' | 'unable'> {
  const value = { type: 'uint32', text: String(id) } as const
  // Not the well-known name, which may belong to another daemon by now.
  const call = { ...NOTIFICATIONS, to: owner, method: 'CloseNotification', value }
  const answer = await callBus(call, env, signal)
  if (!answer) return 'unable'
  // Another program may have that name on the bus of a later session, and does not answer either.
  if (answer.isLate && (await notificationsOwner(env, signal)) === owner) throw doesNotAnswer()
  return answer.ok ? 'closed' : 'gone'
}
