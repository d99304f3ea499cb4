import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { configDir, configPath, secretsPath, stateDir } from '../../config/paths.ts'
import { hasDead } from '../../journal/history.ts'
import { showPath } from '../../text/clean.ts'
import { readEvents, stateFolders } from '../_events.ts'
import { keychainNames } from './purge-keychain.ts'

/** What of the user `--purge` removes. */
export interface Losses {
  /** Events that are not delivered; null if they cannot be counted, as in a spool that is damaged. */
  waiting: number | null
  /** Files and folders. */
  lost: readonly string[]
  /** Names of secrets in the keychain. */
  keychain: readonly string[]
}

export const noLosses: Losses = { waiting: 0, lost: [], keychain: [] }

export function findLosses(): Losses {
  const [folder, folders] = [configDir(), stateFolders()]
  const own = [configPath(folder), secretsPath(folder), join(folder, 'templates')]
  return {
    waiting: countWaiting(folders),
    lost: [...own, ...folders].filter((path) => existsSync(path)),
    keychain: keychainNames(folder, stateDir()),
  }
}

/** A line for each. */
export function describeLosses({ waiting, lost, keychain }: Losses): string {
  return [
    ...(waiting === 0 ? [] : [`Undelivered, and lost with --purge: ${waiting ?? NOT_COUNTED}`]),
    ...lost.map((path) => `Lost with --purge: ${showPath(path)}`),
    ...(keychain.length > 0
      ? [`Lost with --purge, from the keychain: ${keychain.join(', ')}`]
      : []),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

const NOT_COUNTED = 'events that cannot be counted'

/** A person who removes everything need not repair it first. */
function countWaiting(folders: readonly string[]): number | null {
  try {
    const { known } = readEvents(folders)
    return known.filter((one) => one.outcome === 'waiting' || hasDead(one)).length
  } catch {
    return null
  }
}
