import { meaningOf } from '../../event/meaning.ts'
import { defineRule, send, suppress } from '../types.ts'

/** Suppresses events of sub-agents. Their questions are sent, since somebody has to answer them. */
export const subAgents = defineRule({
  name: 'sub-agents',
  isNoise: true,
  judge(event, { on }, { session }) {
    const { isSubagent, isInternal } = meaningOf(event)
    if (event.kind === 'permission') return send
    if (isInternal) return suppress('the client talks to itself')
    // A route that names sub-agents asks for them.
    if (on === 'subagent-done' || (on !== '*' && on === event.name)) return send
    const isOfSubagent =
      isSubagent ||
      event.kind === 'subagent-done' ||
      event.isOfSubagent === true ||
      session?.isSubagent === true
    return isOfSubagent ? suppress('a sub-agent, not the agent itself') : send
  },
})
