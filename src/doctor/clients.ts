import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Client } from '../clients/define.ts'
import { type ClientName, clientNames, clients } from '../clients/index.ts'
import { readBackups } from '../install/backup.ts'
import { fileInForce } from '../install/locate.ts'
import {
  type HookPlace,
  isProjectAway,
  knownPlaces,
  projectOf,
  rememberedPlaces,
} from '../install/places.ts'
import { isPresent } from '../install/presence.ts'
import { readLeniently } from '../install/read-leniently.ts'
import { type Registered, readRegistered } from '../install/registered.ts'
import { type Check, type ClientFacts, type ClientPlace, check } from './check.ts'
import { checkTrust } from './codex.ts'
import { lastEventOf } from './last-event.ts'
import { checkOtherDoors } from './other-doors.ts'
import { checkRestart } from './restart.ts'
import { checkSwitches } from './switches.ts'

const QUIET_MS = 3 * 24 * 3600 * 1000

/** Checks each client that is installed, or whose settings contain our hooks. */
export function checkClients(facts: ClientFacts): Check[] {
  const all = readAll(facts)
  const shown = clientNames.filter(
    (name) =>
      isPresent(clients[name], facts.env) ||
      all.some(({ place, hooks }) => place.client === name && hooks.length > 0),
  )
  if (shown.length === 0)
    return [check('clients', 'warning', 'no agent client is found here', 'hookbell clients')]
  return shown.flatMap((name) =>
    checkClient(
      name,
      all.filter(({ place }) => place.client === name),
      facts,
    ),
  )
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
    ...duplicates(id, client, ours),
    ...(ours.length > 0 ? [lastEvent(id, client, facts)] : []),
    ...checkRestart(name, ours, facts),
    ...unproven(id, client),
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
    ...hidden(id, client, ours, facts),
    ...checkOtherDoors(id, ours, facts.stateDir),
    ...checkSwitches(id, name, ours, facts),
    ...(name === 'codex' ? ours.flatMap((one) => checkTrust(id, one, facts.env)) : []),
  ]
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
  { stateDir }: ClientPlace,
): Check[] {
  return rememberedPlaces(stateDir).flatMap((known) => {
    const { client, path, scope, events = [] } = known
    if (client !== name || isProjectAway(known)) return []
    const here = all.find(({ place }) => place.path === path)
    if (here?.fault !== undefined) return []
    const isWhole = !here || here.hooks.length === 0
    const beside = all.filter(({ place }) => place.scope === scope)
    const left = new Set(beside.flatMap(({ hooks }) => hooks.map(({ event }) => event)))
    const lost = events.filter((event) => !left.has(event))
    if (!isWhole && lost.length === 0) return []
    const what = isWhole ? 'the hooks are gone from' : `${lost.join(', ')}: gone from`
    const seen = `${what} ${path}${sinceWhen(stateDir, path)}`
    return [check(`${id}.vanished`, 'broken', seen, `End all sessions, then${howToWrite(known)}`)]
  })
}

function howToWrite(place: HookPlace): string {
  const command = `hookbell init --client ${place.client}`
  return place.scope === 'user' ? `: ${command}` : ` in ${projectOf(place)}: ${command} --project`
}

/** When `init` wrote the file, and when it was last written: the hooks disappeared in between. */
function sinceWhen(stateDir: string, path: string): string {
  const at = readBackups(stateDir, path).at(-1)?.record.writtenAt
  const changed = statSync(path, { throwIfNoEntry: false })?.mtime.toISOString()
  const last = changed === undefined ? ', which is not there any more' : `, last written ${changed}`
  return `${at ? `, registered ${at}` : ''}${last}`
}

function duplicates(id: string, client: Client, ours: readonly Registered[]): Check[] {
  return ['user', 'project'].flatMap((scope) => {
    const places = ours.filter(({ place }) => (place.scope === 'user') === (scope === 'user'))
    const events = places.flatMap(({ place, hooks }) => {
      const isHidden = hiddenIn(client, place.path)
      return hooks.map(({ event }) => event).filter((event) => !isHidden(event))
    })
    const twice = [...new Set(events.filter((event, at) => events.indexOf(event) !== at))]
    if (twice.length === 0) return []
    const seen = `${twice.join(', ')} stands more than once in the ${scope}'s settings`
    const which = `--client ${client.name}`
    const told = `hookbell uninstall ${which}, then hookbell init ${which}`
    return [check(`${id}.duplicates`, 'warning', seen, told)]
  })
}

/** droid does not read an event from the second settings file if the first one names it. */
function hidden(
  id: string,
  client: Client,
  ours: readonly Registered[],
  facts: ClientPlace,
): Check[] {
  if (!client.hidesByEvent) return []
  return ours.flatMap(({ place, hooks }) => {
    const folder = dirname(place.path)
    const first = fileInForce(client, folder)
    const lost = [...new Set(hooks.map(({ event }) => event))].filter(hiddenIn(client, place.path))
    const isElsewhere = (event: string) =>
      readAll(facts).some(
        (one) => one.place.path === first.path && one.hooks.some((hook) => hook.event === event),
      )
    const silent = lost.filter((event) => !isElsewhere(event))
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
  const when = new Date(last.acceptedAt).toISOString()
  if (now - last.acceptedAt < QUIET_MS) return check(`${id}.last`, 'ok', `${last.event}, ${when}`)
  const seen = `no event for ${days} days: ${last.event}, ${when}`
  return check(`${id}.last`, 'warning', seen, `If you used it since: ${client.restartNote}`)
}

function unproven(id: string, { verified }: Client): Check[] {
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
