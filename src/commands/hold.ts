import { defineCommand } from 'citty'
import { asTyped } from '../cli/how-to-call.ts'
import { printJson, say } from '../cli/output.ts'
import { setOnHold } from '../worker/control.ts'
import { stateFolders } from './_events.ts'

export const holdCommand = defineCommand({
  args: { json: { type: 'boolean', description: 'Print JSON: onHold' } },
  run({ args }) {
    for (const folder of stateFolders()) setOnHold(folder, true)
    if (args.json) return printJson({ onHold: true })
    say(asTyped('On hold: events are accepted and wait. Go on with: hookbell resume'))
  },
})
