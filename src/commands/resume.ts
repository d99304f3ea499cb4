import { defineCommand } from 'citty'
import { printJson, say } from '../cli/output.ts'
import { isOnHold } from '../spool/requests.ts'
import { setOnHold } from '../worker/control.ts'
import { deliverOnce } from '../worker/run.ts'
import { stateFolders } from './_events.ts'
import { becomeWorker, countLeft, sayWhatIsLeft } from './_worker.ts'

export const resumeCommand = defineCommand({
  args: {
    json: {
      type: 'boolean',
      description: 'Print JSON: wasOnHold, handled, left (messages that no worker takes)',
    },
  },
  async run({ args: { json } }) {
    const held = stateFolders().filter(isOnHold)
    if (held.length === 0) {
      if (json) return printJson({ wasOnHold: false, handled: 0, left: 0 })
      return say('Nothing was on hold')
    }
    const worker = becomeWorker(1)
    for (const folder of held) setOnHold(folder, false)
    const runs = held.map((stateDir) => deliverOnce({ ...worker, stateDir }))
    const handled = (await Promise.all(runs)).reduce((sum, run) => sum + run.handled, 0)
    if (json) return printJson({ wasOnHold: true, handled, left: countLeft(held) })
    // 0 if a running worker claimed the events first, which needs no mention.
    say(handled > 0 ? `No longer on hold; ${handled} handled` : 'No longer on hold')
    sayWhatIsLeft(held)
  },
})
