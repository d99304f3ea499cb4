import { defineCommand } from 'citty'
import { print } from '../cli/output.ts'
import { setOnHold } from '../worker/control.ts'
import { stateFolders } from './_events.ts'

export const holdCommand = defineCommand({
  run() {
    for (const folder of stateFolders()) setOnHold(folder, true)
    print('On hold: events are accepted and wait. Go on with: hookbell resume')
  },
})
