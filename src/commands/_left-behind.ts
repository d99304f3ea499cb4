import { asTyped } from '../cli/how-to-call.ts'
import { say } from '../cli/output.ts'
import { listQuietly } from '../fs/read.ts'
import { parseName, spoolIn } from '../spool/layout.ts'
import { lockHolder } from '../spool/lock/lock.ts'
import { countWaitingCards } from '../spool/outline.ts'
import { isOnHold } from '../spool/requests.ts'
import { counted } from '../text/counted.ts'

/**
 * Tells the user if messages wait for a later attempt and no worker runs to make it. The commands that call this start no
 * worker, because they also run from cron and in short-lived containers.
 */
export function sayWhatIsLeft(folders: readonly string[]) {
  const alone = folders.filter((folder) => !isOnHold(folder) && !lockHolder(folder))
  const counts = alone.map(spoolIn).map((spool) => {
    return (
      listQuietly(spool.new).filter((name) => parseName(name)).length + countWaitingCards(spool)
    )
  })
  const count = counts.reduce((sum, one) => sum + one, 0)
  if (count === 0) return
  const what = counted(count, 'message waits for its time', 'messages wait for their time')
  say(asTyped(`${what}, and no worker runs. The next event starts one, or run: hookbell worker`))
}
