import { existsSync } from 'node:fs'
import { defineCommand } from 'citty'
import { asTyped } from '../cli/how-to-call.ts'
import { ago, ahead, paint, printJson, say, table } from '../cli/output.ts'
import { configDir, configPath, frontDoorIn, stateDir } from '../config/paths.ts'
import { type ConfigSummary, readConfigSummary } from '../config/summary.ts'
import { lookAtClients } from '../doctor/overview.ts'
import type { ChannelStatus, EventStatus } from '../journal/history.ts'
import { mutePath } from '../policy/mutes.ts'
import { spoolIn } from '../spool/layout.ts'
import { lockHolder } from '../spool/lock.ts'
import { outlineParked } from '../spool/outline.ts'
import { counted } from '../text/counted.ts'
import { isOnHold } from '../worker/on-hold.ts'
import { type Events, list, stateFolders, withEvents } from './_events.ts'
import type { HubRow } from './_hub-row.ts'
import { clientProblems, describeClient } from './_status-clients.ts'
import {
  changedTrust,
  hubProblem,
  problemsOf,
  templateProblemsIn,
  unreachedProblem,
} from './_status-problems.ts'

export const statusCommand = defineCommand({
  args: { json: { type: 'boolean', description: 'Print JSON' } },
  async run({ args }) {
    const status = await readStatus()
    if (args.json) printJson(status)
    else say(describe(status))
    return status.problems.length > 0 ? 1 : 0
  },
})

/** How many of the latest events are searched for the last one of each client. */
const LATEST = 50

type Status = Awaited<ReturnType<typeof readStatus>>

async function readStatus() {
  const folders = stateFolders()
  const [state, configFolder] = [stateDir(), configDir()]
  const config = await readConfigSummary(configFolder, state)
  const looked = config.hasHub ? await lookAtHub() : undefined
  const unreadable = new Set<string>()
  const onUnreadable = (folder: string) => void unreadable.add(folder)
  const corrupt = folders.flatMap((folder) => list(spoolIn(folder).corrupt, onUnreadable)).length
  const place = { env: process.env, cwd: process.cwd(), stateDir: state }
  const { count, latest, clients, oldestWaiting, channels, unreached, hub } = withEvents(
    folders,
    (events) => ({
      count: events.tallies.count(),
      latest: events.tallies.latest(1),
      clients: lookAtClients(place, events.tallies.latest(LATEST), events.inFull),
      oldestWaiting: events.tallies.oldest('waiting'),
      channels: channelRows(config, events),
      ...(looked && { hub: looked.hubRow(events, hubChannels(config), looked.reach) }),
      unreached: events.inFull(
        [events.tallies.oldest('undelivered')].filter((one) => one !== undefined),
      ),
    }),
    onUnreadable,
  )
  const isInstalled = existsSync(frontDoorIn(state))
  const lastEvent = latest.at(-1)?.acceptedAt ?? null
  return {
    accepted: Object.values(count).reduce((sum, one) => sum + one, 0),
    ...count,
    oldestWaiting: oldestWaiting?.acceptedAt ?? null,
    onHold: folders.some(isOnHold),
    mutes: await mutesIn(folders),
    parked: parkedIn(folders),
    corrupt,
    worker: lockHolder(state)?.pid ?? null,
    config: { path: configPath(configFolder), source: config.source },
    state,
    installed: isInstalled,
    clients,
    channels,
    ...(hub !== undefined && { hub }),
    lastEvent,
    problems: [
      ...(looked && looked.reach !== 'reachable' ? [await hubProblem(looked.reach, config)] : []),
      ...[...unreadable].map(
        (folder) => `${folder} cannot be read; the next worker opens it again`,
      ),
      ...clientProblems(clients, { isInstalled, lastEvent }),
      ...unreached.map((last) => unreachedProblem(count.undelivered, last)),
      ...(await problemsOf(config, count.dead, corrupt, folders)),
      ...(await templateProblemsIn(configFolder, config.templates)),
      ...(await changedTrust(state)),
    ],
  }
}

/** Loaded only if something is muted; most of the time nothing is. */
async function mutesIn(folders: readonly string[]) {
  if (!folders.some((folder) => existsSync(mutePath(folder)))) return []
  const { mutesNow } = await import('./_status-mutes.ts')
  return mutesNow(folders)
}

/** Loaded only if a hub is configured; most machines have none. */
async function lookAtHub() {
  const { reachHub } = await import('./_hub-reach.ts')
  const { hubRow } = await import('./_hub-row.ts')
  return { reach: await reachHub(), hubRow }
}

function describeHub({ reach, waiting, lastHandedOver }: HubRow): string {
  const last =
    lastHandedOver === null ? 'nothing handed over yet' : `last handed over ${ago(lastHandedOver)}`
  return `${reach}; ${waiting} waiting; ${last}`
}

function hubChannels({ channels }: ConfigSummary): string[] {
  return Object.keys(channels).filter((name) => channels[name] === 'hub')
}

/** Deliveries that failed and are tried again, and those that a policy holds. */
function parkedIn(folders: readonly string[]) {
  const parked = folders.flatMap((folder) => outlineParked(spoolIn(folder)))
  const held = parked.filter(({ isHeld }) => isHeld).length
  const next = parked.reduce((least, { until }) => Math.min(least, until), Number.POSITIVE_INFINITY)
  return { failed: parked.length - held, held, nextAt: parked.length > 0 ? next : null }
}

/** The last result of each channel, so that a silent one is noticed. */
function channelRows(
  { channels, unusable, unreachable }: ConfigSummary,
  { tallies, inFull }: Events,
) {
  const names = [...Object.keys(channels), ...Object.keys(unusable)]
  const latest = tallies.latestByChannel()
  const lasts = names.map((name) => latest.get(name))
  const ids = new Set(lasts.flatMap((last) => (last ? [last] : [])))
  const inDetail = new Map<string, EventStatus>(inFull([...ids]).map((event) => [event.id, event]))
  return names.map((name, index) => {
    const last = inDetail.get(lasts[index]?.id ?? '')?.channels[name]
    return {
      name,
      type: channels[name] ?? '',
      isReachable: !unreachable.includes(name),
      last: last ? { state: last.state, at: last.at, detail: last.detail } : null,
    }
  })
}

function describe(status: Status): string {
  const { accepted, delivered, suppressed, undelivered, dead, waiting } = status
  const { worker, config, channels } = status
  const nobody = undelivered > 0 ? ` + ${undelivered} undelivered` : ''
  const events =
    `${accepted} accepted = ${delivered} delivered + ${suppressed} suppressed${nobody}` +
    ` + ${dead} dead + ${waiting} waiting`
  const unseen = accepted > LATEST ? `none of the last ${LATEST} events` : 'no event yet'
  const lines = [
    ['events', events],
    ['last', status.lastEvent === null ? 'none yet' : ago(status.lastEvent)],
    ...waitingLines(status),
    ['worker', worker === null ? 'not running (starts with the next event)' : `process ${worker}`],
    ['config', `${config.source === 'file' ? config.path : `${config.source} settings`}`],
    ['hook', status.installed ? frontDoorIn(status.state) : 'not installed: hookbell init'],
    ...status.clients.map((client) => [client.client, describeClient(client, unseen)]),
    ...(status.hub === undefined ? [] : [['hub', describeHub(status.hub)]]),
    ...channels.map((channel) => [channel.name, describeChannel(channel)]),
  ]
  const problems = status.problems.map((problem) => `${paint('red', 'x')} ${asTyped(problem)}`)
  return [table(lines.map((cells) => cells.map(asTyped))), ...problems].join('\n')
}

function describeChannel({ type, isReachable, last }: Status['channels'][number]): string {
  const what = last ? `${painted(last.state)}${whenOf(last)}: ${last.detail}` : 'nothing sent yet'
  const reach = isReachable ? '' : '; no route names it: no event reaches it'
  return `${type || 'not usable'}  ${what}${reach}`
}

function whenOf({ state, at }: Pick<ChannelStatus, 'state' | 'at'>): string {
  return ['deferred', 'held'].includes(state) ? `, next ${ahead(at)}` : ` ${ago(at)}`
}

function painted(state: string): string {
  if (state === 'delivered') return paint('green', state)
  return paint(['exhausted', 'unavailable'].includes(state) ? 'red' : 'yellow', state)
}

/** Rows about what is silenced and what waits; none if nothing is. */
function waitingLines({ onHold, mutes, oldestWaiting, parked }: Status): string[][] {
  const { failed, held, nextAt } = parked
  const counts = [
    ...(failed > 0 ? [`${deliveries(failed)} failed and tried again`] : []),
    ...(held > 0 ? [`${deliveries(held)} held back`] : []),
  ]
  return [
    ...(onHold ? [['on hold', 'nothing is sent until: hookbell resume']] : []),
    ...mutes.map(({ extent }) => ['muted', `${extent}; take it back with: hookbell unmute`]),
    ...(oldestWaiting === null ? [] : [['oldest', `accepted ${ago(oldestWaiting)}`]]),
    ...(nextAt === null ? [] : [['parked', `${counts.join(', ')}; next ${ahead(nextAt)}`]]),
  ]
}

function deliveries(count: number): string {
  return counted(count, 'delivery', 'deliveries')
}
