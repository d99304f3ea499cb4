import { isTurnOver } from './sessions.ts'
import { defineRule, send, suppress } from './types.ts'

/**
 * Suppresses the end of a turn that leaves background tasks running: it is sent when they are over. Tasks that ran
 * before the turn began, such as a server that runs all day, do not count.
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
