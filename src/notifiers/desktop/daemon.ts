import { DeliveryError } from '../define.ts'
import { type BusEnv, callBus, NOTIFICATIONS } from './bus.ts'

/**
 * Whether the notification daemon reads markup in a body; yes, as most do, where that cannot be found out.
 * @throws DeliveryError if it does not answer: it would show each attempt once it works again
 */
export async function readsMarkup(env: BusEnv, signal: AbortSignal): Promise<boolean> {
  const answer = await callBus({ ...NOTIFICATIONS, method: 'GetCapabilities' }, env, signal)
  if (answer?.ok) return /\bbody-markup\b/.test(answer.text)
  if (answer?.isLate) throw doesNotAnswer()
  return true
}

export function doesNotAnswer(): DeliveryError {
  return new DeliveryError('retry', 'desktop: the notification daemon does not answer')
}

/**
 * Whether the notification daemon is GNOME Shell. It shows one notification at a time, and six rows of it. A critical
 * one stays until it is dismissed, and the others wait.
 */
export async function isGnomeShell(env: BusEnv, signal: AbortSignal): Promise<boolean> {
  const answer = await callBus({ ...NOTIFICATIONS, method: 'GetServerInformation' }, env, signal)
  return answer?.ok === true && /\bgnome-shell\b/.test(answer.text)
}
