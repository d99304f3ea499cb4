import type { Kind } from '../event/kind.ts'
import { lastJudgedAt } from './sessions.ts'
import { defineRule, send, suppress } from './types.ts'

/** Somebody is needed, or something broke. */
const urgent: readonly Kind[] = ['permission', 'failed', 'abnormal-end']

/** The first passes; while a session goes back and forth, each turn starts the time again. Off unless configured. */
export const cooldown = defineRule({
  name: 'cooldown',
  isNoise: true,
  judge({ kind, at }, { channel }, { session, noise }) {
    const ms = noise.cooldownSeconds * 1000
    if (ms === 0 || !session || urgent.includes(kind)) return send
    const before = lastJudgedAt(session, channel)
    if (before === 0 || at - before >= ms) return send
    return suppress(`less than ${noise.cooldownSeconds} s after the last of its session`)
  },
})
