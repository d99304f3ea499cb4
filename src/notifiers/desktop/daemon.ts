import { DeliveryError } from '../define.ts'
import { type BusEnv, callBus, NOTIFICATIONS } from './bus.ts'

/**
 * Whether the notification daemon reads markup in a body, and plays sounds; the first, as most do, but not the second, where
 * that cannot be found out. @throws DeliveryError if it does not answer: it would show each attempt once it works again
 */
export async function abilitiesOf(env: BusEnv, signal: AbortSignal) {
  const answer = await callBus({ ...NOTIFICATIONS, method: 'GetCapabilities' }, env, signal)
  if (answer?.isLate) throw doesNotAnswer()
  const { text } = answer?.ok ? answer : { text: 'body-markup' }
  return { readsMarkup: /\bbody-markup\b/.test(text), playsSounds: /\bsound\b/.test(text) }
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
