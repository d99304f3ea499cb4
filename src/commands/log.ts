import { defineCommand } from 'citty'
import { asTyped } from '../cli/how-to-call.ts'
import { printJson, say } from '../cli/output.ts'
import { usageError } from '../errors.ts'
import { type Kind, kinds } from '../event/event.ts'
import type { EventStatus } from '../journal/history.ts'
import { closest } from '../text/suggest.ts'
import {
  allInFull,
  findEvent,
  isOfInterest,
  latestInFull,
  readEvents,
  stateFolders,
} from './_events.ts'
import { kindOption } from './_kind-option.ts'
import { sinceTime } from './_since.ts'
import { detailsOf, renderList } from './log/rows.ts'

export const logCommand = defineCommand({
  args: {
    id: {
      type: 'positional',
      required: false,
      description: 'One event, by the start of its id, or: last',
    },
    limit: {
      type: 'string',
      description: 'How many of the latest events. Default: 20, or all with --since',
      valueHint: 'N',
    },
    since: {
      type: 'string',
      description: 'All events since then, such as 2h, 7d or 2026-11-20',
      valueHint: 'TIME',
    },
    session: {
      type: 'string',
      description: 'Only events of this session, by the start of its id',
      valueHint: 'ID',
    },
    kind: {
      type: 'string',
      description: `Only events of this kind: ${kinds.join(', ')}`,
      valueHint: 'KIND',
    },
    follow: {
      type: 'boolean',
      description: 'Keep running, and show each new event when its outcome is known',
    },
    all: {
      type: 'boolean',
      description: 'Also prompts and the like that went nowhere, and test events of doctor',
    },
    json: {
      type: 'boolean',
      description: 'Print JSON of all events; with --follow one line per event',
    },
  },
  async run({ args }) {
    const { id, follow, json } = args
    const wanted = readFilter({ ...args, all: args.all || json })
    if (id !== undefined && (follow || isNarrowed(wanted))) {
      throw usageError('log: one event is shown whole', 'Leave out its id, or the other options')
    }
    const folders = stateFolders()
    const read = () =>
      id === undefined
        ? choose(folders, wanted, follow === true)
        : [findEvent('log', folders, id, args.all ? () => true : undefined)]
    if (follow) {
      const { followLog } = await import('./log/follow.ts')
      const load = (ids: ReadonlySet<string>) => allInFull(folders, (one) => ids.has(one))
      return followLog(folders, read, { load, matches: (one) => isWanted(one, wanted), json })
    }
    const chosen = read()
    if (json) return printJson(id === undefined ? chosen : chosen[0])
    if (chosen.length === 0) return say(isNarrowed(wanted) ? NO_MATCH : asTyped(noEvents(folders)))
    say(renderList(chosen))
    for (const status of id === undefined ? [] : chosen) say(`\n${detailsOf(status)}`)
  },
})

const DEFAULT_LIMIT = 20
/** More events of a session than this one are rarely left out between two that are shown. */
const EVENTS_PER_ANSWER = 10
const NO_EVENTS = 'No events yet. See whether hookbell is registered: hookbell status'
const NO_MATCH = 'No such events'
const LEFT_OUT =
  'Nothing but prompts and the like, which went nowhere. hookbell log --all shows them'

interface Filter {
  since: number | undefined
  session: string | undefined
  kind: Kind | undefined
  /** Whether events count that nobody asks about. */
  all: boolean
  /** How many of the latest. */
  limit: number
}

interface Args {
  limit?: string | undefined
  since?: string | undefined
  session?: string | undefined
  kind?: string | undefined
  all?: boolean | undefined
}

function readFilter({ limit, since, session, kind, all }: Args): Filter {
  const count = limit === undefined ? DEFAULT_LIMIT : Number(limit)
  if (!Number.isInteger(count) || count < 1) {
    throw usageError(`log: --limit takes a whole number from 1, not "${limit}"`)
  }
  if (session === '') throw usageError('log: --session takes the start of an id, not ""')
  return {
    since: since === undefined ? undefined : sinceTime(since, 'log'),
    session,
    kind: kindOption('log', kind),
    // Whoever names a kind asks about it.
    all: all === true || kind !== undefined,
    limit: since !== undefined && limit === undefined ? Number.POSITIVE_INFINITY : count,
  }
}

function noEvents(folders: readonly string[]): string {
  return readEvents(folders).known.length > 0 ? LEFT_OUT : NO_EVENTS
}

function isNarrowed({ since, session, kind }: Filter): boolean {
  return since !== undefined || session !== undefined || kind !== undefined
}

/** Only without a filter is the end of the journal enough. */
function choose(folders: readonly string[], filter: Filter, mayBeNone: boolean): EventStatus[] {
  const { session, limit } = filter
  if (!isNarrowed(filter)) {
    const latest = latestInFull(folders, filter.all ? limit : limit * EVENTS_PER_ANSWER)
    return latest.filter((status) => isWanted(status, filter)).slice(-limit)
  }
  const all = allInFull(folders)
  const found = all.filter((status) => isWanted(status, filter))
  if (session !== undefined && found.length === 0 && !mayBeNone) refuseUnknown(session, all)
  return found.slice(-limit)
}

function isWanted(status: EventStatus, { since, session, kind, all }: Filter): boolean {
  if (!all && !isOfInterest(status)) return false
  const isOfSession = session === undefined || status.sessionId.startsWith(session)
  return isRecent(status, since) && isOfSession && (kind === undefined || status.kind === kind)
}

function isRecent({ acceptedAt }: { acceptedAt: number }, since: number | undefined): boolean {
  return since === undefined || acceptedAt >= since
}

function refuseUnknown(session: string, known: readonly EventStatus[]) {
  if (known.some(({ sessionId }) => sessionId.startsWith(session))) return
  const sessions = [...new Set(known.map(({ sessionId }) => sessionId).filter(Boolean))]
  const starts = sessions.map((one) => one.slice(0, Math.max(session.length, 4)))
  const meant = closest(session, starts)
  throw usageError(
    `log: no event of a session "${session}"`,
    meant ? `Did you mean "${meant}"?` : 'hookbell log --json shows the sessions',
  )
}
