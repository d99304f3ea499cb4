import { defineCommand } from 'citty'
import { printJson, say } from '../cli/output.ts'
import { stateDir } from '../config/paths.ts'
import { awayUntil, takeBackRequest } from '../spool/requests.ts'
import { wakeWorkerOf } from './_worker.ts'

export const backCommand = defineCommand({
  args: { json: { type: 'boolean', description: 'Print JSON: wasAway' } },
  run({ args }) {
    const state = stateDir()
    const wasAway = awayUntil(state, Date.now()) !== undefined
    takeBackRequest(state, 'away')
    // It ends the waits that keep a question off the screen.
    if (wasAway) wakeWorkerOf(state)
    if (args.json) return printJson({ wasAway })
    say(wasAway ? 'Back: questions come to the screen at once' : 'You were not away')
  },
})
