import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadedConfig } from '../config/load.ts'
import { sessionEnv } from '../hook/session-env.ts'
import { acceptEvent } from '../spool/write.ts'

/** A channel that exists whatever the configuration says. */
export const DESKTOP_OF_LAST_RESORT = 'desktop'

/** Tells the user once per broken configuration, as an event of our own to the desktop. */
export function tellConfigProblem({ problem, source }: LoadedConfig, stateDir: string) {
  if (!problem) return
  const told = join(stateDir, 'config-problem-told')
  const hash = createHash('sha256').update(problem.message).digest('hex')
  if (readQuietly(told) === hash) return
  const message = `${problem.message}. Until it is mended, the ${source} settings are used.`
  const event = { hook_event_name: 'StopFailure', message }
  const header = {
    client: 'hookbell',
    env: sessionEnv(process.env),
    channel: DESKTOP_OF_LAST_RESORT,
  }
  acceptEvent(stateDir, header, Buffer.from(JSON.stringify(event)))
  writeFileSync(told, hash, { mode: 0o600 })
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
