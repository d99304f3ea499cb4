import { statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Client } from '../clients/define.ts'
import { type ClientName, clientNames, clients } from '../clients/index.ts'
import { profileOf } from '../clients/places.ts'
import { partsOfName } from '../context/project.ts'
import { realPath } from '../fs/links.ts'
import { readBackups } from '../install/backup.ts'
import { doublesOf } from '../install/doubles.ts'
import { fileInForce, readLeniently } from '../install/locate.ts'
import {
  type HookPlace,
  initCommand,
  isAway,
  isProjectAway,
  knownPlaces,
  projectOf,
  rememberedPlaces,
} from '../install/places.ts'
import { isPresent } from '../install/presence.ts'
import { type Registered, readRegistered } from '../install/registered.ts'
import type { EventStatus } from '../journal/history.ts'
import { formatTime } from '../text/local-time.ts'
import { type Check, type ClientFacts, type ClientPlace, check } from './check.ts'
import { checkTrust } from './codex.ts'
import { lastEventOf } from './last-event.ts'
import { checkOtherDoors } from './other-doors.ts'
import { checkSwitches } from './switches.ts'

const QUIET_MS = 3 * 24 * 3600 * 1000

/** Checks each client that is installed, or whose settings contain our hooks, or should. */
export function checkClients(facts: ClientFacts): Check[] {
  const all = readAll(facts)
  const ours = [
    ...all.filter(({ hooks }) => hooks.length > 0).map(({ place }) => place),
    ...rememberedPlaces(facts.stateDir).filter((place) => !isProjectAway(place)),
  ]
  const shown = clientNames.filter(
    (name) => isPresent(clients[name], facts.env) || ours.some(({ client }) => client === name),
  )
  if (shown.length === 0) return [noClient(facts)]
  return shown.flatMap((name) =>
    checkClient(
      name,
      all.filter(({ place }) => place.client === name),
      facts,
    ),
  )
}

function noClient({ isHub }: ClientFacts): Check {
  const seen = 'no agent client is found here'
  if (isHub) return check('clients', 'ok', `${seen}; a hub needs none`)
  return check('clients', 'warning', seen, 'hookbell clients')
}

export function readAll({ stateDir, env, cwd }: ClientPlace): Registered[] {
  return knownPlaces(stateDir, { env, cwd }).map(readRegistered)
}

function checkClient(name: ClientName, all: readonly Registered[], facts: ClientFacts): Check[] {
  const client: Client = clients[name]
  const id = `client.${name}`
  const ours = all.filter(({ hooks }) => hooks.length > 0)
  return [
    ...registration(id, name, all),
    ...whatSilences(name, all, facts),
    ...duplicates(id, client, ours, facts.env),
    ...(ours.length > 0 ? doubles(id, client, all, facts.env) : []),
    ...(ours.length > 0 ? [lastEvent(id, client, facts)] : []),
    ...checkRestart(name, ours, facts),
    ...(ours.length > 0 ? checkUnreported(id, client, facts.events) : []),
    ...checkUnproven(id, client),
  ]
}

/** Finds what keeps our hooks from running in a client, or may do so. */
export function whatSilences(
  name: ClientName,
  all: readonly Registered[],
  facts: ClientPlace,
): Check[] {
  const client: Client = clients[name]
  const id = `client.${name}`
  const ours = all.filter(({ hooks }) => hooks.length > 0)
  return [
    ...all.flatMap(({ fault }) =>
      fault === undefined ? [] : [check(`${id}.shape`, 'broken', fault, 'Correct it by hand')],
    ),
    ...vanished(id, name, all, facts),
    ...hidden(id, client, ours),
    ...checkOtherDoors(id, ours, facts.stateDir, process.platform, facts.env),
    ...checkSwitches(id, name, ours, facts),
    ...(name === 'codex' ? ours.flatMap((one) => checkTrust(id, one)) : []),
  ]
}

/** What else tells the person of the same events. Nothing is broken by it. */
function doubles(
  id: string,
  client: Client,
  all: readonly Registered[],
  env: ClientFacts['env'],
): Check[] {
  const paths = all.map(({ place }) => place.path)
  return doublesOf(client, paths, env).map((seen) =>
    check(`${id}.double`, 'warning', seen, 'Keep one of the two'),
  )
}

function registration(id: string, name: ClientName, all: readonly Registered[]): Check[] {
  const ours = all.filter(({ hooks }) => hooks.length > 0)
  // A file that cannot be read may contain our hooks, so nothing is claimed about them.
  if (ours.length === 0 && all.some(({ fault }) => fault !== undefined)) return []
  if (ours.length === 0)
    return [
      check(`${id}.registered`, 'warning', 'not registered', `hookbell init --client ${name}`),
    ]
  const texts = ours.map(({ place, hooks }) => {
    return `${new Set(hooks.map(({ event }) => event)).size} events in ${place.path}`
  })
  return [check(`${id}.registered`, 'ok', texts.join(', '))]
}

/** Finds files that `init` wrote to and that no longer contain our hooks, or not all of them. */
function vanished(
  id: string,
  name: ClientName,
  all: readonly Registered[],
  { stateDir, env }: ClientPlace,
): Check[] {
  return rememberedPlaces(stateDir).flatMap((known) => {
    const { client, path, scope, events = [] } = known
    if (client !== name || isAway(known, env)) return []
    // Compared behind links: a home that has two names has one file.
    const here = all.find(({ place }) => realPath(place.path) === realPath(path))
    if (here?.fault !== undefined) return []
    const isEmpty = !here || here.hooks.length === 0
    const beside = all.filter(({ place }) => place.scope === scope && isBeside(place, known))
    const left = new Set(beside.flatMap(({ hooks }) => hooks.map(({ event }) => event)))
    const lost = events.filter((event) => !left.has(event))
    if (!isEmpty && lost.length === 0) return []
    const what = isEmpty ? 'the hooks are gone from' : `${lost.join(', ')}: gone from`
    const seen = `${what} ${path}${sinceWhen(stateDir, path)}`
    const where = scope === 'user' ? '' : ` in ${projectOf(known)}`
    const told = `End all sessions, then${where}: ${initCommand(known, env)}`
    return [check(`${id}.vanished`, 'broken', seen, told)]
  })
}

/** When `init` wrote the file, and when it was last written: the hooks disappeared in between. */
function sinceWhen(stateDir: string, path: string): string {
  const at = readBackups(stateDir, path).at(-1)?.record.writtenAt
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  const last =
    changed === undefined
      ? ', which is not there any more'
      : `, last written ${formatTime(changed)}`
  return `${at ? `, registered ${formatTime(Date.parse(at))}` : ''}${last}`
}

/** Finds events that are registered twice in the files of one profile of the user, or in those of one project. */
function duplicates(
  id: string,
  client: Client,
  ours: readonly Registered[],
  env: ClientPlace['env'],
): Check[] {
  const first = ours.filter(
    ({ place }, at) => ours.findIndex((other) => isBeside(other.place, place)) === at,
  )
  return first.flatMap(({ place }) => {
    const events = ours
      .filter((other) => isBeside(other.place, place))
      .flatMap(({ place: { path }, hooks }) => {
        const isHidden = hiddenIn(client, path)
        return hooks.map(({ event }) => event).filter((event) => !isHidden(event))
      })
    const twice = [...new Set(events.filter((event, at) => events.indexOf(event) !== at))]
    if (twice.length === 0) return []
    const isUser = place.scope === 'user'
    const profiles = first.filter((one) => one.place.scope === 'user')
    const mine = profiles.length > 1 ? `your settings in ${profileOf(place)}` : 'your settings'
    const where = isUser ? mine : `the settings of ${projectOf(place)}`
    const seen = `${twice.join(', ')}: registered more than once in ${where}`
    // The first command removes the hooks from all profiles.
    const again = [
      `hookbell uninstall --client ${client.name} --user`,
      ...profiles.map((one) => initCommand(one.place, env)),
    ].join(', then ')
    // `uninstall --project` would remove the hooks from other projects too.
    const told = isUser ? again : 'Keep one of the entries there, by hand'
    return [check(`${id}.duplicates`, 'warning', seen, told)]
  })
}

/** Whether both are files of the same profile of the user, or of the same project. */
function isBeside(one: HookPlace, other: HookPlace): boolean {
  if (one.scope === 'user' || other.scope === 'user')
    return one.scope === other.scope && realPath(profileOf(one)) === realPath(profileOf(other))
  return projectOf(one) === projectOf(other)
}

/** droid does not read an event from the second settings file if the first one names it. */
function hidden(id: string, client: Client, ours: readonly Registered[]): Check[] {
  if (!client.hidesByEvent) return []
  return ours.flatMap(({ place, hooks }) => {
    const folder = dirname(place.path)
    const first = fileInForce(client, folder)
    const lost = [...new Set(hooks.map(({ event }) => event))].filter(hiddenIn(client, place.path))
    const inFirst = ours.find((one) => one.place.path === first.path)?.hooks ?? []
    const silent = lost.filter((event) => !inFirst.some((hook) => hook.event === event))
    if (silent.length === 0) return []
    const seen = `${silent.join(', ')} in ${place.path} is hidden by ${first.path}`
    return [check(`${id}.in-force`, 'broken', seen, `hookbell init --client ${client.name}`)]
  })
}

/** Which events of a file the client does not read, because another file names them. */
function hiddenIn(client: Client, path: string): (event: string) => boolean {
  const first = client.hidesByEvent ? fileInForce(client, dirname(path)) : undefined
  if (first === undefined || first.path === path) return () => false
  const names = readLeniently(first.path)
  return (event) => Boolean(names[event])
}

function lastEvent(id: string, client: Client, { events, now }: ClientFacts): Check {
  const last = lastEventOf(client.name, events)
  if (!last) {
    const seen = 'no event seen yet'
    return check(`${id}.last`, 'cannot tell', seen, `Use it once; ${client.restartNote}`)
  }
  const days = Math.floor((now - last.acceptedAt) / 86_400_000)
  const when = formatTime(last.acceptedAt)
  if (now - last.acceptedAt < QUIET_MS) return check(`${id}.last`, 'ok', `${last.event}, ${when}`)
  const seen = `no event for ${days} days: ${last.event}, ${when}`
  return check(`${id}.last`, 'warning', seen, `If you used it since: ${client.restartNote}`)
}

/** What a client does not report here: that nothing comes is no fault of ours, and nothing that can be repaired. */
function checkUnreported(
  id: string,
  { name, events, aliases, surfaces = [] }: Client,
  history: readonly EventStatus[],
): Check[] {
  const asks = events.some((event) =>
    /^(Notification|PermissionRequest)$/.test(aliases[event] ?? event),
  )
  const used = new Set(history.flatMap((one) => (one.client === name ? [one.surface] : [])))
  const found = surfaces.filter(({ title }) => used.has(title))
  return [
    ...(asks ? [] : ['no event of it says that it asks something']),
    ...found.map((one) => `in ${one.title} it reports ${one.unreported}`),
  ].map((seen) => check(`${id}.unreported`, 'cannot tell', seen))
}

/** What is known of a client only by what others say. */
function checkUnproven(id: string, { verified }: Client): Check[] {
  const names = Object.entries(verified).filter(([, evidence]) => evidence !== 'measured')
  if (names.length === 0) return []
  const seen = names.map(([name, evidence]) => `${name} (${evidenceWords[evidence]})`).join(', ')
  return [check(`${id}.verified`, 'cannot tell', `never tried with the real program: ${seen}`)]
}

const evidenceWords = {
  measured: 'seen to work',
  documented: 'known from its documentation',
  source: 'known from its source code',
  unverified: 'not confirmed by anything',
}

/** Clients read their hooks when a session starts, so a session older than the hooks may not run all of them. */
export function checkRestart(
  client: keyof typeof clients,
  ours: readonly Registered[],
  { events, stateDir }: ClientFacts,
): Check[] {
  const last = lastEventOf(client, events)
  if (!last) return []
  const read = ours.filter(({ place }) => mayRead(last, place))
  const writtenAt = Math.max(0, ...read.map(({ place }) => writtenIn(stateDir, place.path)))
  if (writtenAt === 0) return []
  const id = `client.${client}.restart`
  const when = formatTime(writtenAt)
  if (last.acceptedAt < writtenAt)
    return [
      check(
        id,
        'cannot tell',
        `no event since the hooks were written, ${when}`,
        clients[client].restartNote,
      ),
    ]
  const first = events.find(
    (one) => one.client === client && one.sessionId === last.sessionId && one.sessionId !== '',
  )
  if (!first || first.acceptedAt >= writtenAt)
    return [check(id, 'ok', 'the last session started after the hooks were written')]
  const seen = `the last session started before the hooks were written, ${when}`
  return [check(id, 'warning', seen, clients[client].restartNote)]
}

/** Whether the hooks are the user's own, or those of the project of the event, which is known by its name only. */
function mayRead({ project }: EventStatus, place: HookPlace): boolean {
  return place.scope === 'user' || basename(projectOf(place)) === partsOfName(project).tree
}

/** When `init` last wrote the file, Unix ms; 0 if it never did. */
function writtenIn(stateDir: string, path: string): number {
  return Date.parse(readBackups(stateDir, path).at(-1)?.record.writtenAt ?? '') || 0
}
