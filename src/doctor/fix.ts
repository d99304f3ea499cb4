import { chmodSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { spoolAtRisk } from '../spool/at-risk.ts'
import { prepareSpool } from '../spool/prepare.ts'
import type { Check, Facts } from './check.ts'

/** Repairs what can do no harm. @returns what was done */
export async function fixSafely(
  checks: readonly Check[],
  { stateDir, configDir }: Facts,
  renew: () => Promise<unknown>,
): Promise<string[]> {
  const done: string[] = []
  if (process.platform !== 'win32') {
    for (const path of [configDir, join(configDir, 'templates'), stateDir])
      if (close(path, 0o022)) done.push(`chmod go-w ${path}`)
    const secrets = join(configDir, 'secrets.env')
    if (close(secrets, 0o077)) done.push(`chmod 600 ${secrets}`)
  }
  // Only where init ran: a state folder is not made for nothing.
  if (!existsSync(stateDir)) return done
  if (canPrepare(stateDir)) done.push(`made the folders of the spool in ${stateDir}`)
  const isStale = checks.some(({ id, status }) => id.startsWith('door.') && status !== 'ok')
  const isRegistered = checks.some(({ id, status }) => /\.registered$/.test(id) && status === 'ok')
  if (isStale && isRegistered) {
    await renew()
    done.push('renewed the front door and what it runs, from this version')
  }
  return done
}

/** Makes what is missing of the spool, and opens it to this user. What it cannot do is still found afterwards. */
function canPrepare(stateDir: string): boolean {
  if (existsSync(join(stateDir, 'spool/new')) && spoolAtRisk(stateDir).length === 0) return false
  try {
    prepareSpool(stateDir)
    return true
  } catch {
    return false
  }
}

function close(path: string, bits: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat || (stat.mode & bits) === 0 || stat.uid !== process.getuid?.()) return false
  chmodSync(path, stat.mode & 0o7777 & ~bits)
  return true
}
