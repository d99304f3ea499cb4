import type { Client, HookFile } from '../clients/define.ts'
import { type ClientName, clients } from '../clients/index.ts'
import { userFolder } from '../clients/paths.ts'
import { profileOf } from '../clients/places.ts'
import { homeDir } from '../fs/home.ts'
import { projectRoot } from '../install/locate.ts'
import { killSwitchNotes } from '../install/notes.ts'
import { placesIn } from '../install/places.ts'
import type { Registered } from '../install/registered.ts'
import { type Check, type ClientPlace, check } from './check.ts'
import { isTrustedByCodex } from './codex.ts'

type Place = Pick<ClientPlace, 'env' | 'cwd'>

/** Finds settings that keep our hooks from running. Those of a repository can switch off the user's hooks too. */
export function checkSwitches(
  id: string,
  name: ClientName,
  ours: readonly Registered[],
  place: Place,
): Check[] {
  const client: Client = clients[name]
  const paths = client.hookFiles.flatMap((file) => {
    if (file.scope === 'managed' || file.form === 'plugin' || file.switches === 'nothing') return []
    const found = pathsOf(client, file, ours, place)
    if (file.switches !== 'itself') return found
    return found.filter((path) => ours.some((one) => one.place.path === path))
  })
  return killSwitchNotes(client, paths, process.platform).map((note) =>
    check(`${id}.switch`, 'broken', note, 'Remove that setting'),
  )
}

function pathsOf(
  client: Client,
  { scope, path, form }: HookFile,
  ours: readonly Registered[],
  { env, cwd }: Place,
): string[] {
  if (scope === 'user') {
    const profiles = ours.map(({ place }) => profileOf(place)).filter(Boolean)
    const folders = new Set([userFolder(client, env), ...profiles])
    return [...folders].flatMap((folder) => placesIn(folder, path))
  }
  const root = projectRoot(client, cwd, homeDir(env))
  // Copilot also reads hooks from Claude Code's files. Whether it obeys a switch there is not known.
  if (root === undefined || (path.startsWith('.claude/') && client.name !== 'claude')) return []
  // Codex reads nothing of a project that is not trusted.
  if (form === 'toml' && !isTrustedByCodex(root, env)) return []
  return placesIn(root, path)
}
