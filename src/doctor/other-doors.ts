import { existsSync } from 'node:fs'
import { dirname, win32 } from 'node:path'
import { frontDoorIn } from '../config/paths.ts'
import { realPath } from '../fs/links.ts'
import { doorIn } from '../install/hook-command.ts'
import { type HookPlace, initCommand, projectOf } from '../install/places.ts'
import type { Registered } from '../install/registered.ts'
import { quoteWord } from '../text/shell.ts'
import { type Check, type ClientPlace, check } from './check.ts'

/**
 * Finds hooks that start another front door than the one of this state folder: settings that came from another machine,
 * a home directory that was renamed, or a state folder that only some shells name. Harmless if other hooks of the client
 * start ours.
 */
export function checkOtherDoors(
  id: string,
  ours: readonly Registered[],
  stateDir: string,
  platform = process.platform,
  env: ClientPlace['env'] = process.env,
): Check[] {
  const mine = comparable(frontDoorIn(stateDir, platform), platform)
  const doorsOf = ({ hooks }: Registered) => hooks.map(({ command }) => doorIn(command, platform))
  const isOther = (door: string | undefined) =>
    door !== undefined && comparable(door, platform) !== mine
  if (!ours.every((one) => doorsOf(one).every(isOther))) return []
  return ours.flatMap((one) =>
    [...new Set(doorsOf(one))].map((door) =>
      describeDoor(id, one.place, String(door), { platform, env }),
    ),
  )
}

/** Behind links, because a home may have two names. Windows does not distinguish capital letters. */
function comparable(path: string, platform: NodeJS.Platform): string {
  return platform === 'win32' ? win32.normalize(path).toLowerCase() : realPath(path)
}

function describeDoor(
  id: string,
  place: HookPlace,
  door: string,
  { platform, env }: { platform: string; env: ClientPlace['env'] },
): Check {
  if (!existsSync(door))
    return check(
      `${id}.door`,
      'broken',
      `${place.path} starts ${door}, which does not exist`,
      howToWrite(place, env),
    )
  const seen = `${place.path} starts ${door}: its events are not stored here`
  const folder = platform === 'win32' ? win32.resolve(door, '../../..') : quoteWord(dirname(door))
  const hint = `${howToWrite(place, env)}, or set HOOKBELL_STATE_DIR=${folder}`
  return check(`${id}.door`, 'warning', seen, hint)
}

function howToWrite(place: HookPlace, env: ClientPlace['env']): string {
  if (place.scope === 'local' || place.scope === 'managed') return 'Correct it by hand'
  const command = initCommand(place, env)
  return place.scope === 'user' ? command : `In ${projectOf(place)}: ${command}`
}
