import { uptime } from 'node:os'
import { hasSharedServer } from '../context/of-client.ts'
import type { AgentEvent } from '../event/event.ts'
import type { EventFacts } from '../journal/entry.ts'
import { ttyName } from '../notifiers/terminal/place.ts'
import { type Owner, ownerOf, statOf } from '../spool/lock/owner.ts'

/** The kernel tells programs all times in hundredths of a second. */
const TICK_MS = 10
/** The clock may have been corrected since the machine started. */
const SLACK_MS = 5000
const PANE = /^%\d{1,9}$/

/** Where a session is on this machine, as far as that can be seen: nothing if it may be the place of another session. */
export async function placeOf({
  client,
  env,
  at,
}: Pick<AgentEvent, 'client' | 'env' | 'at'>): Promise<Pick<EventFacts, 'place'>> {
  const terminal = ttyName(env.HOOKBELL_TTY)
  if (terminal === undefined || (await hasSharedServer(client))) return {}
  const [pane] = PANE.exec(env.TMUX_PANE ?? '') ?? []
  const job = jobOf(env, at)
  return { place: { terminal, ...(pane && { pane }), ...(job && { job }) } }
}

/**
 * The process with which the job of the agent began in its terminal: as long as it lives, the session may. Undefined if it
 * cannot be seen, as in another container, or if another process has its id by now.
 */
function jobOf({ HOOKBELL_JOB = '', HOOKBELL_TTY }: AgentEvent['env'], at: number) {
  const stat = /^[1-9]\d{0,9}$/.test(HOOKBELL_JOB) ? statOf(HOOKBELL_JOB) : undefined
  if (!stat || `${stat.tty}` !== HOOKBELL_TTY || `${stat.job}` !== HOOKBELL_JOB) return undefined
  const startedAt = Date.now() - uptime() * 1000 + Number(stat.started) * TICK_MS
  const job: Owner = ownerOf(Number(HOOKBELL_JOB), stat.started)
  return startedAt <= at + SLACK_MS ? job : undefined
}
