import type { Kind } from '../event/kind.ts'

/** What a person sees first: an emoji, and its name in ntfy. Kinds that need nobody have none. */
const signs: { readonly [kind in Kind]?: { emoji: string; name: string } } = {
  permission: { emoji: '🔔', name: 'bell' },
  waiting: { emoji: '⌛', name: 'hourglass' },
  done: { emoji: '✅', name: 'white_check_mark' },
  failed: { emoji: '🚨', name: 'rotating_light' },
  'abnormal-end': { emoji: '🚨', name: 'rotating_light' },
}

export function signOf(kind: Kind) {
  return signs[kind]
}
