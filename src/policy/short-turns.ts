import { isTurnOver } from './sessions.ts'
import { defineRule, type JudgeContext, type JudgedEvent, send, suppress } from './types.ts'

/** Suppresses short turns: a person who waits a few seconds is still looking. A turn of unknown length is sent. */
export const shortTurns = defineRule({
  name: 'short-turns',
  isNoise: true,
  judge(event, _, context) {
    const { session, noise } = context
    if (event.kind !== 'done') return send
    // Background tasks are over: the turn that reports it is short, but the work was not.
    if ((session?.turnEnd?.backgroundTasks ?? 0) > event.backgroundTasks) return send
    const ms = durationOf(event, context)
    if (ms === undefined || ms >= noise.minSeconds * 1000) return send
    return suppress(`the turn took ${seconds(ms)} s, less than ${noise.minSeconds} s`)
  },
})

/** The time since the prompt if that is known here; else what the payload or the transcript says. In ms. */
function durationOf({ at, durationMs }: JudgedEvent, { session }: JudgeContext) {
  const isInTurn = session !== undefined && session.promptAt > 0 && !isTurnOver(session)
  return isInTurn && session.promptAt <= at ? at - session.promptAt : durationMs
}

/** Rounded down, so that it never looks like the limit itself. */
function seconds(ms: number): number {
  return Math.floor(ms / 100) / 10
}
