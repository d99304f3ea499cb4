import { readFileSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import type { Client } from '../clients/define.ts'
import { clients } from '../clients/index.ts'
import { errorCode, HookbellError } from '../errors.ts'
import { isLink } from '../fs/links.ts'
import { exists } from '../fs/read.ts'
import { sha256 } from '../text/sha256.ts'
import { applyPlan } from './apply.ts'
import { forgetBackups, originalText, readBackups } from './backup.ts'
import type { Plan } from './edit/plan.ts'
import { planRemoval, planTablesRemoval, type Removal } from './edit/plan-removal.ts'
import {
  isUnchanged,
  MAX_SETTINGS_BYTES,
  readSettings,
  type SettingsOnDisk,
  whereIs,
} from './file.ts'
import {
  forgetPlace,
  type HookPlace,
  isProjectAway,
  projectOf,
  rememberedPlaces,
} from './places.ts'
import { isOurPlugin } from './plugin.ts'
import { makeGuard } from './target.ts'

const ATTEMPTS = 3

/** Each of our command lines and plug-ins contains one of these. */
const TRACE = /hookbell-hook|hook\.cjs|hookbell init/

/** Others may have made the file larger than `init` would. Of a repository, it may be of any size. */
const MOST_BYTES = 16 * MAX_SETTINGS_BYTES

/** No client can read hooks at such a path either. */
const NOTHING_THERE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP'])

export interface Registration {
  place: HookPlace
  before: string
  removal: Removal
}

/**
 * Finds our hooks in a file, and plans how to remove them.
 * @returns undefined if there are none
 * @throws HookbellError `E_SETTINGS` for a file that has our command in it and cannot be edited
 */
export function findRegistration(place: HookPlace, stateDir: string): Registration | undefined {
  // Checked first, so that faults of files without our hooks are not reported.
  const trace = traceIn(place.path)
  const isRemembered = () => rememberedPlaces(stateDir).some(({ path }) => path === place.path)
  if (trace === false || (trace === undefined && !isRemembered())) return undefined
  const old = readSettings(place.path)
  const removal = planFor(place, stateDir, old)
  return removal.changed ? { place, before: old.text, removal } : undefined
}

/** Removes our hooks from a file. @returns what became of the file */
export function takeAway(place: HookPlace, stateDir: string): 'restored' | 'deleted' | 'cleaned' {
  const { path, scope } = place
  const guard = scope === 'user' ? undefined : makeGuard(projectOf(place))
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const old = readSettings(path)
    guard?.(old.realPath)
    let removal = planFor(place, stateDir, old)
    if (removal.isGone && !isLink(path)) {
      if (!isUnchanged(path, old)) continue
      const folder = readBackups(stateDir, old.realPath).at(-1)?.record.folder
      rmSync(old.realPath)
      if (folder !== undefined) removeEmptyFolders(dirname(old.realPath), folder)
    } else {
      const plan = (text: string) => {
        removal = planFor(place, stateDir, { ...old, text })
        return removal
      }
      applyPlan({ path, isShared: scope !== 'user', stateDir, plan, guard })
    }
    const { isGone, isExact } = removal
    // If others changed the file too, its backups stay until the state is removed.
    if (isExact) forgetBackups(stateDir, old.realPath)
    forgetPlace(stateDir, path)
    return isGone ? 'deleted' : isExact ? 'restored' : 'cleaned'
  }
  throw new HookbellError('E_SETTINGS', `${path}: the file keeps changing`, {
    hint: 'Close running sessions of the agent, then run the command again',
  })
}

/**
 * Forgets a place that `init` wrote to if nothing of ours is left in it. It stays known while its project is away: our
 * hooks may come back with it.
 */
export function forgetIfClean(place: HookPlace, stateDir: string): void {
  const { path } = place
  if (traceIn(path) !== false || (!exists(path) && isProjectAway(place))) return
  finishRemoval(path, stateDir)
  forgetPlace(stateDir, path)
}

/** Does what a killed `uninstall` had no time to, if the file is back in its original state. */
function finishRemoval(path: string, stateDir: string): void {
  const realPath = whereIs(path)
  const hash = exists(realPath) ? hashOf(realPath) : null
  const last = readBackups(stateDir, realPath).at(-1)
  if (last && last.record.before !== hash) return
  const folder = last?.record.folder
  if (hash === null && folder !== undefined) removeEmptyFolders(dirname(realPath), folder)
  forgetBackups(stateDir, realPath)
}

function planFor(place: HookPlace, stateDir: string, { text, realPath }: SettingsOnDisk): Removal {
  const { client, path, form } = place
  if (form === 'plugin') return planPluginRemoval(text)
  const records = readBackups(stateDir, realPath).map(({ record }) => record)
  const { fileHeader: header }: Client = clients[client]
  const original = originalText(stateDir, realPath)
  if (form === 'tables') return planTablesRemoval(text, { path, records, original })
  return planRemoval(text, { path, shape: form, records, original, header })
}

function planPluginRemoval(text: string): Removal {
  const isGone = isOurPlugin(text)
  const plan: Plan = { text: isGone ? '' : text, changed: isGone, spans: [], shape: 'bare' }
  return { ...plan, isExact: isGone, isGone }
}

/** Undefined for anything but a file that can be read. */
function hashOf(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? sha256(readFileSync(path)) : undefined
  } catch {
    return undefined
  }
}

/** Whether a file contains something of ours; undefined if it may, but cannot be read. */
function traceIn(path: string): boolean | undefined {
  try {
    const stat = statSync(path)
    return stat.isFile() && stat.size <= MOST_BYTES && TRACE.test(readFileSync(path, 'utf8'))
  } catch (error) {
    return NOTHING_THERE.has(errorCode(error) ?? '') ? false : undefined
  }
}

/** Removes empty folders, from the file's folder up to the topmost one that `init` created. */
function removeEmptyFolders(folder: string, highest: string): void {
  if (folder !== highest && !folder.startsWith(highest + sep)) return
  try {
    rmdirSync(folder)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') return
  }
  if (folder !== highest) removeEmptyFolders(dirname(folder), highest)
}
