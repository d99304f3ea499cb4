import { type Session, sessionKey } from '../sessions.ts'
import { defineRule, type JudgedEvent, send } from '../types.ts'

/** Of several questions of one session, the first is sent at once; those right after it become one more message. */
export const burst = defineRule({
  name: 'burst',
  isNoise: true,
  judge(event, _, { session, noise }) {
    const { kind } = event
    const ms = noise.burstSeconds * 1000
    if (kind !== 'permission' || ms === 0 || !session) return send
    const start = burstStart(session, event, ms)
    if (start === undefined) return send
    const reason = `within ${noise.burstSeconds} s of another question of its session`
    return { type: 'hold', until: start + ms, reason, group: `burst ${sessionKey(event)}` }
  },
})

/** When the burst began that a question belongs to; undefined if the question begins one. */
function burstStart({ questions }: Session, event: JudgedEvent, ms: number) {
  const times = questions
    .filter(({ id, at }) => id !== event.id && at <= event.at)
    .map(({ at }) => at)
    .sort((one, other) => one - other)
  let start: number | undefined
  for (const at of times) if (start === undefined || at - start > ms) start = at
  return start !== undefined && event.at - start <= ms ? start : undefined
}
