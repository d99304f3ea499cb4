import { chmodSync, existsSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { configPath, secretsPath } from '../config/paths.ts'
import { spoolAtRisk } from '../spool/at-risk.ts'
import { prepareSpool, spoolIn } from '../spool/layout.ts'
import type { Check, Facts } from './check.ts'

/**
 * Makes the repairs that can do no harm.
 * @param renew installs the front door again; false if it could not, and has said why
 * @returns what was done
 */
export async function fixSafely(
  checks: readonly Check[],
  { stateDir, configDir }: Facts,
  renew: () => Promise<boolean>,
): Promise<string[]> {
  const done: string[] = []
  if (process.platform !== 'win32') {
    const folders = [configDir, join(configDir, 'templates'), stateDir]
    for (const path of [...folders, configPath(configDir)])
      if (clearMode(path, 0o022)) done.push(`chmod go-w ${path}`)
    const secrets = secretsPath(configDir)
    if (clearMode(secrets, 0o077)) done.push(`chmod 600 ${secrets}`)
  }
  // Without a state folder `init` never ran, so there is nothing to repair.
  if (!existsSync(stateDir)) return done
  if (repairSpool(stateDir)) done.push(`made the folders of the spool in ${stateDir}`)
  const isStale = checks.some(
    ({ id, status }) =>
      ((id.startsWith('door.') || id === 'worker') && status !== 'ok') ||
      (id.endsWith('.canary') && status === 'broken'),
  )
  const isRegistered = checks.some(({ id, status }) => /\.registered$/.test(id) && status === 'ok')
  const canWrite = !checks.some(({ id, status }) => id === 'disk' && status === 'broken')
  if (isStale && isRegistered && canWrite && (await renew()))
    done.push('renewed the front door and what it runs, from this version')
  return done
}

/**
 * Creates missing spool folders and lets this user access them. The checks that follow report what is left.
 * @returns whether it did
 */
function repairSpool(stateDir: string): boolean {
  if (existsSync(spoolIn(stateDir).new) && spoolAtRisk(stateDir).length === 0) return false
  try {
    prepareSpool(stateDir)
    return true
  } catch {
    return false
  }
}

function clearMode(path: string, bits: number): boolean {
  const stat = statOf(path)
  if (!stat || (stat.mode & bits) === 0 || stat.uid !== process.getuid?.()) return false
  chmodSync(path, stat.mode & 0o7777 & ~bits)
  return true
}

/** Undefined also for a path that this user cannot reach, which another check reports. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
