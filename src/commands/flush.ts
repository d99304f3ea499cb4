import { defineCommand } from 'citty'
import { asTyped } from '../cli/how-to-call.ts'
import { say } from '../cli/output.ts'
import { configDir } from '../config/paths.ts'
import { flush } from '../worker/control.ts'
import { isOnHold } from '../worker/on-hold.ts'
import { deliverOnce } from '../worker/run.ts'
import { stateFolders } from './_events.ts'

export const flushCommand = defineCommand({
  async run() {
    const folders = stateFolders()
    const count = folders.reduce((sum, folder) => sum + flush(folder), 0)
    if (folders.some(isOnHold)) {
      return say(asTyped(`${count} to be tried, but all is on hold. Go on with: hookbell resume`))
    }
    await Promise.all(folders.map((stateDir) => deliverOnce({ stateDir, configDir: configDir() })))
    say(
      count === 0
        ? 'Nothing waits for another attempt'
        : asTyped(`${count} tried; see: hookbell log`),
    )
  },
})
