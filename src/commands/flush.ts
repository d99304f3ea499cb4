import { defineCommand } from 'citty'
import { asTyped } from '../cli/how-to-call.ts'
import { say } from '../cli/output.ts'
import { lockHolder } from '../spool/lock.ts'
import { flush } from '../worker/control.ts'
import { isOnHold } from '../worker/on-hold.ts'
import { deliverOnce } from '../worker/run.ts'
import { becomeWorker } from './_become-worker.ts'
import { stateFolders } from './_events.ts'
import { sayWhatIsLeft } from './_left-behind.ts'

export const flushCommand = defineCommand({
  async run() {
    const worker = becomeWorker(1)
    const folders = stateFolders()
    const count = folders.reduce((sum, folder) => sum + flush(folder), 0)
    if (folders.some(isOnHold)) {
      return say(asTyped(`${count} to be tried, but all is on hold. Go on with: hookbell resume`))
    }
    // A worker that runs has more that waits for the same destination, and keeps the order of all of it.
    const free = folders.filter((folder) => !lockHolder(folder))
    await Promise.all(free.map((stateDir) => deliverOnce({ ...worker, stateDir })))
    if (count === 0) return say('Nothing waits for another attempt')
    const isLeft = free.length < folders.length
    const done = isLeft ? 'put forward; the worker that runs tries them now' : 'tried'
    say(asTyped(`${count} ${done}; see: hookbell log`))
    sayWhatIsLeft(folders)
  },
})
