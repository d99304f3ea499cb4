import { join } from 'node:path'
import { replaceUnsynced } from '../fs/durable.ts'
import { readQuietly } from '../fs/read.ts'
import { ownerOf } from '../spool/lock/owner.ts'
import { cutText } from '../text/clean.ts'
import { shortSession } from '../text/short-session.ts'
import { goneAt, type Known } from './board.ts'

const MAX_BYTES = 1024 * 1024
const MAX_PROJECT = 24

/** What a status line shows, such as `2 ask · api 3m`; '' while nobody asks. Same: bin/hookbell-line. */
export function lineOf(board: readonly Known[], now: number): string {
  const asking = board.filter(({ state }) => state === 'asks')
  const [first] = asking
  if (!first) return ''
  const seconds = Math.floor(now / 1000) - Math.floor(first.since / 1000)
  return `${asking.length} ${asking.length > 1 ? 'ask' : 'asks'} · ${nameOf(first)} ${since(seconds)}`
}

function since(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  if (minutes < 1) return 'now'
  return minutes < 120 ? `${minutes}m` : `${Math.floor(minutes / 60)}h`
}

/**
 * The file from which bin/hookbell-line makes the same line, whenever it is read: one line for each session that asks, with
 * what shows that it still does. Best effort: status lines must not stop a worker.
 */
export function keepAsking(stateDir: string, asking: readonly Known[]) {
  const path = join(stateDir, 'asking')
  const { boot } = ownerOf(0)
  const text = asking.map((one) => `${recordOf(one, boot)}\n`).join('')
  try {
    if ((readQuietly(path, MAX_BYTES) ?? '') !== text) replaceUnsynced(path, text)
  } catch {
    // Such as a full disk.
  }
}

/** Since when it asks, when it is forgotten, its process, when that and the machine were started, and its name. */
function recordOf(one: Known, boot: string): string {
  const { job } = one.session.seen?.place ?? {}
  // Whether one in another container lives cannot be seen.
  const isHere = job && job.boot === boot && job.host === ownerOf(0).host
  const [pid, started] = isHere ? [job.pid, job.started] : ['-', '-']
  const times = [one.since, goneAt(one.session)].map((ms) => Math.floor(ms / 1000))
  return [...times, pid, started, job && !isHere ? '-' : boot, nameOf(one)].join(' ')
}

/** Status bars have languages of their own: `#` is one of tmux, `<` and `&` of Waybar. */
function nameOf({ session: { seen }, sessionId }: Known): string {
  const name = (seen?.project || shortSession(sessionId)).replace(
    /[^\p{L}\p{M}\p{N} ._()/+-]/gu,
    '_',
  )
  return cutText(name.replace(/\s+/g, ' ').trim(), MAX_PROJECT)
}
