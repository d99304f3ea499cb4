import { isUrgent } from '../../event/event.ts'
import { lastJudgedAt } from '../sessions.ts'
import { defineRule, send, suppress } from '../types.ts'

/**
 * Suppresses what follows too soon in a session, unless it is urgent or asks something. Each event restarts the time, sent or not. Off
 * unless configured.
 */
export const cooldown = defineRule({
  name: 'cooldown',
  isNoise: true,
  judge({ kind, at, asks }, { channel }, { session, noise }) {
    const ms = noise.cooldownSeconds * 1000
    if (ms === 0 || !session || isUrgent(kind) || asks) return send
    const before = lastJudgedAt(session, channel)
    if (before === 0 || at - before >= ms) return send
    return suppress(`less than ${noise.cooldownSeconds} s after the last event of its session`)
  },
})
