import { mkdirSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Client } from '../clients/define.ts'
import { type ClientName, clients } from '../clients/index.ts'
import { userFolder } from '../clients/paths.ts'
import { type HookPlace, placesPath, profileOf, rememberedPlaces } from '../clients/places.ts'
import { replaceFile } from '../fs/durable.ts'
import { type Env, homeDir } from '../fs/home.ts'
import { isInside, realPath } from '../fs/links.ts'
import { exists, isMissing, listQuietly } from '../fs/read.ts'
import { withLock } from '../fs/with-lock.ts'
import { quoteWord } from '../text/shell.ts'
import { projectRoot } from './locate.ts'

export { type HookPlace, rememberedPlaces } from '../clients/places.ts'

/** Records where `init` wrote, so that the hooks can be found from any folder. */
export function rememberPlace(stateDir: string, place: HookPlace): void {
  changePlaces(stateDir, (known) => {
    const before = known.find(({ path }) => path === place.path)
    if (before && isDeepStrictEqual(before.events, place.events)) return known
    return [...known.filter((one) => one !== before), place]
  })
}

export function forgetPlace(stateDir: string, path: string): void {
  if (!rememberedPlaces(stateDir).some((one) => one.path === path)) return
  changePlaces(stateDir, (known) => known.filter((one) => one.path !== path))
}

/**
 * Every existing file that may contain our hooks: where `init` wrote, and where a client would look when it is started
 * in `cwd`. Also one that `init` wrote to and that cannot be reached now, so that its fault is reported.
 */
export function knownPlaces(
  stateDir: string,
  { env, cwd }: { env: Env; cwd: string },
): HookPlace[] {
  // Claude Code is the first: its project files, which Copilot and Cursor read too, are listed as its own.
  const names = Object.keys(clients) as ClientName[]
  const looked = names.flatMap((name) => placesOf(name, { env, cwd }))
  const isThere = (place: HookPlace) =>
    exists(place.path) || !(isMissing(place.path) || isAway(place, env))
  const all = [
    ...rememberedPlaces(stateDir).filter(isThere),
    ...looked.filter(({ path }) => exists(path)),
  ]
  const seen = new Set<string>()
  // A file that is also reached over a link is not listed as a file of the project with the link.
  return all
    .toSorted((a, b) => Number(isLinkedOut(a)) - Number(isLinkedOut(b)))
    .filter(({ path }) => {
      const real = realPath(path)
      return !seen.has(real) && seen.add(real)
    })
}

/** Whether a repository has a link in place of its file. The target, such as a file of the user, does not belong to it. */
export function isLinkedOut(place: HookPlace): boolean {
  if (place.scope === 'user' || !exists(place.path)) return false
  return !isInside(realPath(place.path), realPath(projectOf(place)))
}

/** The files below existing folders from which a client reads hooks, for the user and for the project around `cwd`. */
function placesOf(name: ClientName, { env, cwd }: { env: Env; cwd: string }): HookPlace[] {
  const client: Client = clients[name]
  const [home, root] = [userFolder(client, env), projectRoot(client, cwd, homeDir(env))]
  const isInHome = exists(home)
  const isInProject = root !== undefined && exists(`${root}${sep}${client.folder}`)
  return client.hookFiles.flatMap(({ scope, path, form }) => {
    if (form === 'toml' || scope === 'managed') return []
    const folder = scope === 'user' ? isInHome && home : isInProject && root
    if (!folder) return []
    return placesIn(folder, path).map((one) => ({ client: name, scope, path: one, form }))
  })
}

/** A file in a folder. A `*` in the last part of the path stands for all files that match. */
export function placesIn(folder: string, path: string): string[] {
  const full = join(folder, path)
  if (!path.includes('*')) return [full]
  const [start = '', end = ''] = basename(full).split('*')
  const names = listQuietly(dirname(full)).sort()
  const found = names.filter((name) => name.startsWith(start) && name.endsWith(end))
  return found.map((name) => join(dirname(full), name))
}

/** The folder of the project that a place belongs to. */
export function projectOf({ client, path }: HookPlace): string {
  const at = path.lastIndexOf(`${sep}${clients[client].folder}${sep}`)
  return at < 0 ? dirname(dirname(path)) : path.slice(0, at)
}

/** The command that registers once more where a place is. @param env of the shell in which it is typed */
export function initCommand(place: HookPlace, env: Env): string {
  const client: Client = clients[place.client]
  const command = `hookbell init --client ${client.name}`
  if (place.scope === 'local') return `${command} --private`
  if (place.scope !== 'user') return `${command} --project`
  const [profile, { movedBy }] = [profileOf(place), client]
  if (realPath(profile) === realPath(userFolder(client, env))) return command
  const [name, value] = movedBy.folder
    ? [movedBy.folder, profile]
    : [movedBy.home, dirname(profile)]
  return profile && name ? `${command}, with ${name}=${quoteWord(value)}` : command
}

/** Whether nothing in a place can be found or be missing: its project or its home is not here. */
export function isAway(place: HookPlace, env: Env): boolean {
  return isProjectAway(place) || isHomeAway(place, env)
}

/** Whether the project was deleted or moved, or is on a disk that is not mounted now. */
export function isProjectAway(place: HookPlace): boolean {
  return place.scope !== 'user' && !exists(projectOf(place))
}

/** Whether the client reads other settings of the user now, and the folder of these is gone: the home was renamed. */
export function isHomeAway({ client, scope, path }: HookPlace, env: Env): boolean {
  const isCurrent = path.startsWith(userFolder(clients[client], env) + sep)
  return scope === 'user' && !isCurrent && !exists(dirname(path))
}

/** Locked, because another `init` may write another place at the same time. */
function changePlaces(stateDir: string, change: (known: HookPlace[]) => HookPlace[]) {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  withLock(placesPath(stateDir), () => {
    const known = rememberedPlaces(stateDir)
    const places = change(known)
    if (places !== known) replaceFile(placesPath(stateDir), `${JSON.stringify(places, null, 2)}\n`)
  })
}
