import { parseConfig } from '../../src/config/load/load.ts'
import type { Check, Facts } from '../../src/doctor/check.ts'

export const MINUTE_MS = 60_000
export const now = Date.parse('2026-11-20T09:00:00Z')

/** The facts that checks read, with a configuration as it would be in config.json. */
export function makeFacts(changes: Partial<Facts> = {}, config: object = {}): Facts {
  const context = { path: 'config.json', secrets: { file: new Map(), env: {} } }
  return {
    ...{ env: {}, cwd: '/', stateDir: '/nowhere/state', configDir: '/nowhere/config' },
    loaded: parseConfig(JSON.stringify(config), context),
    ...{ folders: ['/nowhere/state'], templateProblems: [], events: [], isOnHold: false },
    ...{ mutes: [], version: '1.0.0', now },
    ...changes,
  }
}

export const find = (checks: readonly Check[], id: string) => checks.filter((one) => one.id === id)
