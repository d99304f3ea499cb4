import { defineCommand } from 'citty'
import { say } from '../cli/output.ts'
import { stateDir } from '../config/paths.ts'
import { awayUntil, takeBackRequest } from '../spool/requests.ts'
import { wakeWorkerOf } from './_worker.ts'

export const backCommand = defineCommand({
  run() {
    const state = stateDir()
    const wasAway = awayUntil(state, Date.now()) !== undefined
    takeBackRequest(state, 'away')
    // It ends the waits that keep a question off the screen.
    if (wasAway) wakeWorkerOf(state)
    say(wasAway ? 'Back: questions come to the screen at once' : 'You were not away')
  },
})
