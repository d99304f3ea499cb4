import type { Kind } from '../event/event.ts'

/** What a person sees first: an emoji, its name in ntfy, and a picture in icons/. Kinds that need nobody have none. */
const signs: { readonly [kind in Kind]?: { emoji: string; name: string; icon: string } } = {
  permission: { emoji: '🔔', name: 'bell', icon: 'permission' },
  waiting: { emoji: '⌛', name: 'hourglass', icon: 'waiting' },
  done: { emoji: '✅', name: 'white_check_mark', icon: 'done' },
  failed: { emoji: '🚨', name: 'rotating_light', icon: 'failed' },
  'abnormal-end': { emoji: '🚨', name: 'rotating_light', icon: 'failed' },
}

export function signOf(kind: Kind) {
  return signs[kind]
}
