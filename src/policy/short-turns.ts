import { isTurnOver } from './sessions.ts'
import { defineRule, type JudgeContext, type JudgedEvent, send, suppress } from './types.ts'

/** Whoever waits for a few seconds is still looking. What is not known to be short is told. */
export const shortTurns = defineRule({
  name: 'short-turns',
  isNoise: true,
  judge(event, _, context) {
    const { session, noise } = context
    if (event.kind !== 'done') return send
    // What ran in the background is over: the turn that says so is short, the work was not.
    if ((session?.turnEnd?.backgroundTasks ?? 0) > event.backgroundTasks) return send
    const ms = durationOf(event, context)
    if (ms === undefined || ms >= noise.minSeconds * 1000) return send
    return suppress(`the turn took ${seconds(ms)} s, less than ${noise.minSeconds} s`)
  },
})

/** Since the prompt that is known here; else what the payload or the transcript says. */
function durationOf({ at, durationMs }: JudgedEvent, { session }: JudgeContext) {
  const isInTurn = session !== undefined && session.promptAt > 0 && !isTurnOver(session)
  return isInTurn && session.promptAt <= at ? at - session.promptAt : durationMs
}

/** Rounded down, so that it never looks like the limit itself. */
function seconds(ms: number): number {
  return Math.floor(ms / 100) / 10
}
