import type { Session } from '../sessions.ts'
import { ENDED_BEFORE, hasEndedAfter, isOwnTurn, isTurnOver } from '../turns.ts'
import { defineRule, send, suppress } from '../types.ts'

/** A build may end soon, and its end is worth a message; a server runs on. */
const HOLD_MINUTES = 5

/**
 * Holds back the end of a turn that leaves background tasks running: it is sent when they are over, or if they still
 * run after five minutes. If agents are among them it is dropped, because the session goes on when they are over. Tasks
 * that ran before the turn began, such as a server that runs all day, do not count, and a question is sent at once.
 */
export const background = defineRule({
  name: 'background',
  isNoise: true,
  judge({ kind, at, asks, isHeadless, ...event }, _, { session, now }) {
    const { backgroundTasks: tasks, backgroundAgents: agents = 0 } = event
    // A one-shot run may end with its first turn.
    if (kind !== 'done' || tasks === 0 || asks || (isHeadless && agents === 0)) return send
    if (session && haveRunBefore({ tasks, agents }, session)) return send
    const reason = `${tasks === 1 ? '1 task runs' : `${tasks} tasks run`} in the background`
    if (agents > 0) return suppress(reason)
    // If the event waited for the worker, counted from now: a later event that outdates it may be waiting too.
    const until = Math.max(at, now) + HOLD_MINUTES * 60_000
    return { type: 'hold', until, reason, group: '' }
  },
  review({ kind, at }, { session }) {
    const { turnEnd } = session ?? {}
    if (kind !== 'done' || !turnEnd || at > (turnEnd.leftTasksAt ?? 0)) return undefined
    return hasEndedAfter(session, at) ? ENDED_BEFORE : undefined
  },
})

/** Whether as many ran at the end of the turn before. In a turn that the client began, one agent may have started another. */
function haveRunBefore({ tasks, agents }: { tasks: number; agents: number }, session: Session) {
  const { turnEnd: before } = session
  if (!before || isTurnOver(session)) return false
  const agentsBefore = before.backgroundAgents ?? 0
  const isSame = tasks - agents === before.backgroundTasks - agentsBefore
  return isSame && (agents === 0 || (agents === agentsBefore && !isOwnTurn(session)))
}
