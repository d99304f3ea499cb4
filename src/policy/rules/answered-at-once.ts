import { findClient } from '../../clients/index.ts'
import { defineRule, send } from '../types.ts'

/** Holds the questions of a client that may answer them itself at once, as when it runs without a terminal. */
export const answeredAtOnce = defineRule({
  name: 'answered-at-once',
  isNoise: true,
  judge({ kind, client, at, isHeadless }) {
    const { holdQuestionMs = 0, holdUnattendedQuestionMs = 0 } = findClient(client) ?? {}
    const ms = isHeadless ? Math.max(holdQuestionMs, holdUnattendedQuestionMs) : holdQuestionMs
    if (kind !== 'permission' || ms === 0) return send
    const reason = `${client} may answer by itself within ${ms / 1000} s`
    return { type: 'hold', until: at + ms, reason, group: '' }
  },
})
