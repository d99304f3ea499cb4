import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { ago } from '../../cli/output.ts'
import { isHubMachine } from '../../config/hub-machine.ts'
import { configDir, configPath, frontDoorIn, stateDir } from '../../config/paths.ts'
import { type ConfigSummary, readConfigSummary } from '../../config/summary.ts'
import { lookAtClients } from '../../doctor/overview.ts'
import { mutePath } from '../../policy/mutes.ts'
import { spoolIn } from '../../spool/layout.ts'
import { lockHolder } from '../../spool/lock/lock.ts'
import { outlineOpen } from '../../spool/outline.ts'
import { isOnHold } from '../../spool/requests.ts'
import { MAX_WAITING, MAX_WITHOUT_WORKER } from '../../spool/waiting-limits.ts'
import { type Events, list, type OnUnreadable, readEvents, stateFolders } from '../_events.ts'
import { clientProblems } from './clients.ts'
import {
  answerProblems,
  changedTrust,
  hubProblem,
  problemsOf,
  templateProblemsIn,
  unreachedProblem,
} from './problems.ts'

/** How many of the latest events are searched for the last one of each client. */
export const LATEST = 50

export type Status = Awaited<ReturnType<typeof readStatus>>

/** Everything that `status` shows. @throws HookbellError if the state folder cannot be read */
export async function readStatus() {
  const folders = stateFolders()
  const [state, configFolder] = [stateDir(), configDir()]
  const config = await readConfigSummary(configFolder, state)
  const hub = config.hasHub ? await lookAtHub() : undefined
  const unreadable = new Set<string>()
  const onUnreadable = (folder: string) => void unreadable.add(folder)
  const { corrupt, unclaimed } = readSpools(folders, onUnreadable)
  const events = readEvents(folders, onUnreadable)
  const { count, withDead, known } = events
  const lastEvent = known.at(-1)?.acceptedAt ?? null
  const place = { env: process.env, cwd: process.cwd(), stateDir: state }
  const clients = lookAtClients(place, known.slice(-LATEST))
  const unreached = known.find(({ outcome }) => outcome === 'undelivered')
  const onHold = folders.some(isOnHold)
  const worker = lockHolder(state)?.pid ?? null
  const isInstalled = existsSync(frontDoorIn(state))
  const channels = channelRows(config, events)
  const types = channels.map(({ type }) => type)
  const isHub = isHubMachine(hub !== undefined, types)
  const muted = await mutedIn(folders)
  return {
    accepted: Object.values(count).reduce((sum, one) => sum + one, 0),
    ...count,
    oldestWaiting: known.find(({ outcome }) => outcome === 'waiting')?.acceptedAt ?? null,
    onHold,
    mutes: muted.mutes,
    parked: parkedIn(folders),
    corrupt,
    worker,
    config: { path: configPath(configFolder), source: config.source },
    state,
    installed: isInstalled,
    clients,
    channels,
    ...(hub && { hub: hub.hubRow(events, hubChannels(config), hub.reach) }),
    lastEvent,
    problems: [
      ...(hub && hub.reach !== 'reachable' ? [await hubProblem(hub.reach, config)] : []),
      ...[...unreadable].map(
        (folder) => `${folder} cannot be read; the next worker opens it again`,
      ),
      ...clientProblems(clients, { isInstalled, lastEvent, isHub }),
      ...(unreached ? [unreachedProblem(count.undelivered, unreached)] : []),
      ...muted.problems,
      ...backlogProblems({ unclaimed, isOnHold: onHold, hasWorker: worker !== null }),
      ...(await problemsOf(config, { dead: count.dead, withDead }, folders)),
      ...(await templateProblemsIn(configFolder, config.templates)),
      ...(await changedTrust(state)),
      ...(await answerProblems(state)),
    ],
  }
}

/** What in the spools waits for a worker, or needs a person. */
function readSpools(folders: readonly string[], onUnreadable: OnUnreadable) {
  const corrupt = folders.flatMap((folder) => list(spoolIn(folder).corrupt, onUnreadable)).length
  const unclaimed = folders.flatMap((folder) => {
    const waiting = spoolIn(folder).new
    return list(waiting, onUnreadable).map((name) => join(waiting, name))
  })
  return { corrupt, unclaimed }
}

/** Loaded only if something is muted; most of the time nothing is. */
async function mutedIn(folders: readonly string[]) {
  if (!folders.some((folder) => existsSync(mutePath(folder)))) return { mutes: [], problems: [] }
  const { muteProblemsIn, mutesNow } = await import('./mutes.ts')
  return { mutes: mutesNow(folders), problems: muteProblemsIn(folders) }
}

/** Loaded only if a hub is configured; most machines have none. */
async function lookAtHub() {
  const { reachHub } = await import('../hub/reach.ts')
  const { hubRow } = await import('./hub-row.ts')
  return { reach: await reachHub(), hubRow }
}

function hubChannels({ channels }: ConfigSummary): string[] {
  return Object.keys(channels).filter(
    (name) => channels[name]?.type === 'hub' && channels[name].state !== 'broken',
  )
}

/** Deliveries that failed and are tried again, and those that a policy holds. */
function parkedIn(folders: readonly string[]) {
  const parked = folders.flatMap((folder) => outlineOpen(spoolIn(folder)))
  const held = parked.filter(({ isHeld }) => isHeld).length
  const next = parked.reduce((least, { until }) => Math.min(least, until), Number.POSITIVE_INFINITY)
  return { failed: parked.length - held, held, nextAt: parked.length > 0 ? next : null }
}

/** The last result of each channel, so that a silent one is noticed. */
function channelRows({ channels, unreachable }: ConfigSummary, events: Events) {
  return Object.keys(channels).map((name) => {
    const last = events.channels.get(name)
    return {
      name,
      type: (channels[name]?.state !== 'broken' && channels[name]?.type) || '',
      isReachable: !unreachable.includes(name),
      last: last ? { state: last.state, at: last.at, detail: last.detail } : null,
    }
  })
}

/** A cron job may deliver now and then, without a worker in between. */
const STRANDED_AFTER_MS = 3600_000

interface Backlog {
  /** Paths of the events that no worker has claimed. */
  unclaimed: readonly string[]
  isOnHold: boolean
  hasWorker: boolean
}

/** Problems of events that wait for a worker. */
function backlogProblems({ unclaimed, isOnHold, hasWorker }: Backlog): string[] {
  const oldest = isOnHold || hasWorker ? Date.now() : oldestOf(unclaimed)
  const isStranded = Date.now() - oldest > STRANDED_AFTER_MS
  const limits = `${MAX_WITHOUT_WORKER} if no worker starts, ${MAX_WAITING} otherwise`
  return [
    ...(isStranded
      ? [
          `events wait, the oldest accepted ${ago(oldest)}, and no worker runs. Find the cause: hookbell doctor`,
        ]
      : []),
    // Warns before events are removed, and while they are.
    ...(unclaimed.length >= MAX_WITHOUT_WORKER
      ? [
          `${unclaimed.length} events wait for a worker; the oldest are removed beyond a limit (${limits})`,
        ]
      : []),
  ]
}

function oldestOf(paths: readonly string[]): number {
  const times = paths.map(
    (path) => lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now(),
  )
  return times.reduce((least, one) => Math.min(least, one), Date.now())
}
