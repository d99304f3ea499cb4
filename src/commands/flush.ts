import { defineCommand } from 'citty'
import { asTyped } from '../cli/how-to-call.ts'
import { printJson, say } from '../cli/output.ts'
import { spoolIn } from '../spool/layout.ts'
import { lockHolder } from '../spool/lock/lock.ts'
import { countWaitingCards } from '../spool/outline.ts'
import { isOnHold } from '../spool/requests.ts'
import { counted } from '../text/counted.ts'
import { flush } from '../worker/control.ts'
import { deliverOnce } from '../worker/run.ts'
import { stateFolders } from './_events.ts'
import { becomeWorker, countLeft, sayWhatIsLeft } from './_worker.ts'

export const flushCommand = defineCommand({
  args: {
    json: {
      type: 'boolean',
      description:
        'Print JSON: retried (messages), onHold, held (by a rule), left (that no worker takes)',
    },
  },
  async run({ args: { json } }) {
    const worker = becomeWorker(1)
    const folders = stateFolders()
    const count = folders.reduce((sum, folder) => sum + flush(folder), 0)
    const onHold = folders.some(isOnHold)
    if (onHold && !json) {
      return say(asTyped(`${count} to be tried, but all is on hold. Go on with: hookbell resume`))
    }
    // A running worker delivers its folder itself: it keeps these messages in order with others for the same destination.
    const free = folders.filter((folder) => !lockHolder(folder))
    await Promise.all(free.map((stateDir) => deliverOnce({ ...worker, stateDir })))
    if (json) {
      const [held, left] = [countHeld(folders), countLeft(folders)]
      return printJson({ retried: count, onHold, held, left })
    }
    if (count === 0) return say(asTyped(`Nothing waits for another attempt${whatIsHeld(folders)}`))
    const isLeft = free.length < folders.length
    const done = isLeft ? 'put forward; the worker that runs tries them now' : 'tried'
    say(asTyped(`${count} ${done}; see: hookbell log`))
    sayWhatIsLeft(folders)
  },
})

/** Messages that a rule holds have not failed, but the user may have expected `flush` to send them. */
function whatIsHeld(folders: readonly string[]): string {
  const count = countHeld(folders)
  if (count === 0) return ''
  return `; ${counted(count, 'message is', 'messages are')} held back: see hookbell status`
}

function countHeld(folders: readonly string[]): number {
  return folders.reduce((sum, folder) => sum + countWaitingCards(spoolIn(folder)), 0)
}
