import type { AgentEvent } from './event.ts'
import { isPayload, type Payload, textOf } from './payload.ts'

/** Qwen Code also lists agents that are over (0.24.4, getBackgroundTaskSnapshot). A paused one waits for a person. */
const NOT_RUNNING = /^(completed|failed|cancelled|paused)$/i

/** How many of the listed tasks run in the background, and how many of these are agents. */
export function backgroundOf(
  tasks: readonly unknown[] = [],
): Pick<AgentEvent, 'backgroundTasks' | 'backgroundAgents' | 'backgroundTeammates'> {
  const running = tasks.filter(
    (task) => !isPayload(task) || !NOT_RUNNING.test(textOf(task, 'status')),
  )
  const agents = running.filter(isPayload).filter(isAgent)
  const backgroundTeammates = agents.filter((task) => /teammate/i.test(textOf(task, 'type'))).length
  return {
    backgroundTasks: running.length,
    ...(agents.length > 0 && { backgroundAgents: agents.length }),
    ...(backgroundTeammates > 0 && { backgroundTeammates }),
  }
}

/** Tasks of Qwen Code have no type of their own: all are agents. */
function isAgent(task: Payload): boolean {
  const type = textOf(task, 'type')
  return type ? /agent|teammate|workflow/i.test(type) : textOf(task, 'agent_type') !== ''
}
