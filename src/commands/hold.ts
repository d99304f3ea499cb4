import { defineCommand } from 'citty'
import { asTyped } from '../cli/how-to-call.ts'
import { say } from '../cli/output.ts'
import { setOnHold } from '../worker/control.ts'
import { stateFolders } from './_events.ts'

export const holdCommand = defineCommand({
  run() {
    for (const folder of stateFolders()) setOnHold(folder, true)
    say(asTyped('On hold: events are accepted and wait. Go on with: hookbell resume'))
  },
})
