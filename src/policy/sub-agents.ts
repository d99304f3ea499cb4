import { meaningOf } from '../event/meaning.ts'
import { defineRule, send, suppress } from './types.ts'

/** A sub-agent is not the agent. Its questions are told: somebody has to answer them. */
export const subAgents = defineRule({
  name: 'sub-agents',
  isNoise: true,
  judge(event, { on }, { session }) {
    const { isSubagent, isInternal } = meaningOf(event)
    if (event.kind === 'permission') return send
    if (isInternal) return suppress('the client talks to itself')
    // Whoever has a route for sub-agents wants to hear of them.
    if (on === 'subagent-done' || (on !== '*' && on === event.name)) return send
    const isOfSubagent =
      isSubagent || event.kind === 'subagent-done' || session?.isSubagent === true
    return isOfSubagent ? suppress('a sub-agent, not the agent itself') : send
  },
})
