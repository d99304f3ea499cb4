import { existsSync, statfsSync, statSync } from 'node:fs'
import { foldersAtRisk, noSpace } from '../config/folders-at-risk.ts'
import { secretsPath } from '../config/paths.ts'
import { describeError } from '../errors.ts'
import { hasDead } from '../journal/history.ts'
import { spoolAtRisk } from '../spool/at-risk.ts'
import { hasWaiting } from '../spool/outline.ts'
import { quoteWord } from '../text/shell.ts'
import { type Check, check, type Facts } from './check.ts'

const LOW_BYTES = 64 * 1024 * 1024
const OLD_MS = 3600 * 1000

/** Checks what waits, what gave up, whether there is disk space, and whether other users can write or read. */
export function checkSpool(facts: Facts): Check[] {
  const { stateDir, configDir, folders } = facts
  const risks = [...foldersAtRisk(configDir, stateDir), ...spoolAtRisk(stateDir)]
  return [
    ...checkEvents(facts),
    ...folders
      .slice(1)
      .filter(hasWaiting)
      .map((folder) =>
        check(
          'spool.fallback',
          'warning',
          `events are stored in ${folder}`,
          `They are delivered from there; repair ${stateDir}`,
        ),
      ),
    ...risks.map((risk) => check('permissions', 'broken', risk.message, risk.hint ?? '')),
    ...(risks.length === 0 ? [noRisk(process.platform)] : []),
    checkDisk(stateDir),
    ...checkPrivacy(facts),
  ]
}

function checkEvents({ events, unread = [], now }: Facts): Check[] {
  const [fault] = unread
  if (fault !== undefined) {
    const { hint = '' } = Object(fault) as { hint?: string }
    return [
      check('spool.backlog', 'broken', describeError(fault), hint),
      check('spool.dead', 'cannot tell', 'the events cannot be read'),
    ]
  }
  const waiting = events.filter(({ outcome }) => outcome === 'waiting')
  const dead = events.filter(hasDead).length
  const oldest = now - Math.min(now, ...waiting.map(({ acceptedAt }) => acceptedAt))
  const minutes = Math.round(oldest / 60_000)
  const seen =
    waiting.length === 0 ? 'nothing waits' : `${waiting.length} wait, the oldest ${minutes} min`
  return [
    oldest > OLD_MS
      ? check('spool.backlog', 'warning', seen, 'hookbell log')
      : check('spool.backlog', 'ok', seen),
    dead > 0
      ? check('spool.dead', 'warning', `${dead} could not be delivered`, 'hookbell dead')
      : check('spool.dead', 'ok', 'none'),
  ]
}

export function noRisk(platform: NodeJS.Platform): Check {
  if (platform === 'win32') return check('permissions', 'cannot tell', 'not checked on Windows')
  return check('permissions', 'ok', 'only you can write')
}

function checkDisk(stateDir: string): Check {
  const full = noSpace(stateDir)
  if (full) return check('disk', full.losesEvents ? 'broken' : 'warning', full.message, full.hint)
  try {
    const { bavail, bsize } = statfsSync(stateDir)
    const free = bavail * bsize
    const seen = `${Math.round(free / 1024 / 1024)} MiB free`
    return free < LOW_BYTES
      ? check('disk', 'warning', seen, 'Make room')
      : check('disk', 'ok', seen)
  } catch {
    return check('disk', 'cannot tell', `no ${stateDir}`)
  }
}

/** Only its owner may read secrets.env. */
function checkPrivacy({ configDir }: Facts): Check[] {
  const path = secretsPath(configDir)
  if (process.platform === 'win32' || !existsSync(path)) return []
  const isOpen = (statSync(path).mode & 0o077) !== 0
  if (!isOpen) return [check('secrets', 'ok', 'secrets.env is private')]
  return [
    check('secrets', 'broken', `other users can read ${path}`, `chmod 600 ${quoteWord(path)}`),
  ]
}
