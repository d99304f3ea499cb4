import type { Kind } from '../event/kind.ts'
import { lastJudgedAt } from './sessions.ts'
import { defineRule, send, suppress } from './types.ts'

/** Kinds without a cooldown: somebody is needed, or something broke. */
const urgent: readonly Kind[] = ['permission', 'failed', 'abnormal-end']

/** Suppresses what follows too soon in a session. Each event restarts the time, sent or not. Off unless configured. */
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
