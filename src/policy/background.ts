import { isTurnOver } from './sessions.ts'
import { defineRule, send, suppress } from './types.ts'

/**
 * A turn that leaves tasks running is not done: it is told when they are over. Tasks that ran before the turn began,
 * such as a server that runs all day, say nothing about it.
 */
export const background = defineRule({
  name: 'background',
  isNoise: true,
  judge({ kind, backgroundTasks: tasks }, _, { session }) {
    if (kind !== 'done' || tasks === 0) return send
    const before = session?.turnEnd
    const ranBefore = before !== undefined && session !== undefined && !isTurnOver(session)
    if (ranBefore && before.backgroundTasks === tasks) return send
    return suppress(`${tasks === 1 ? '1 task runs' : `${tasks} tasks run`} in the background`)
  },
})
