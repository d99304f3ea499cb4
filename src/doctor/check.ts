import type { LoadedConfig } from '../config/load.ts'
import type { EventStatus } from '../journal/history.ts'

export type CheckStatus = 'ok' | 'warning' | 'broken' | 'cannot tell'

/** One thing that was looked at. */
export interface Check {
  /** Stays the same between versions, for programs. */
  id: string
  status: CheckStatus
  /** What is the case. */
  seen: string
  /** What to do now; '' where nothing. */
  do: string
}

/** What the checks are made from, gathered once. */
export interface Facts {
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  stateDir: string
  configDir: string
  /** Where the front door may have stored events. */
  folders: readonly string[]
  loaded: LoadedConfig
  accounts: readonly EventStatus[]
  version: string
  now: number
}

/** What the checks of clients need, which `status` makes too. */
export type ClientFacts = Pick<Facts, 'env' | 'cwd' | 'stateDir' | 'accounts' | 'now'>

export function check(id: string, status: CheckStatus, seen: string, what = ''): Check {
  return { id, status, seen, do: what }
}

/** The event with which `doctor` tries a registered command; nobody is told of it. */
export const CANARY_EVENT = 'HookbellCanary'
