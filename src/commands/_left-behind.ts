import { asTyped } from '../cli/how-to-call.ts'
import { say } from '../cli/output.ts'
import { listQuietly } from '../fs/list.ts'
import { spoolIn } from '../spool/layout.ts'
import { lockHolder } from '../spool/lock/lock.ts'
import { parseName } from '../spool/names.ts'
import { counted } from '../text/counted.ts'
import { isOnHold } from '../worker/on-hold.ts'

/**
 * Says what waits for its time while no worker runs that would send it then. These commands start none: they also run by
 * cron, and in containers that end.
 */
export function sayWhatIsLeft(folders: readonly string[]) {
  const alone = folders.filter((folder) => !isOnHold(folder) && !lockHolder(folder))
  const count = alone.map(spoolIn).flatMap((spool) => {
    const names = [...listQuietly(spool.new), ...listQuietly(spool.deferred)]
    return names.filter((name) => parseName(name))
  }).length
  if (count === 0) return
  const what = counted(count, 'message waits for its time', 'messages wait for their time')
  say(asTyped(`${what}, and no worker runs. The next event starts one, or run: hookbell worker`))
}
