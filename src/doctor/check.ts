import type { LoadedConfig } from '../config/load/load.ts'
import type { Env } from '../fs/home.ts'
import type { EventStatus } from '../journal/history.ts'
import type { Mute } from '../policy/mutes.ts'

export type CheckStatus = 'ok' | 'warning' | 'broken' | 'cannot tell'

/** The result of one check. */
export interface Check {
  /** Stable between versions, because programs use it. */
  id: string
  status: CheckStatus
  /** What was found. */
  seen: string
  /** What the user should do now; '' for nothing. */
  do: string
}

/** What the checks look at, gathered once. */
export interface Facts {
  env: Env
  cwd: string
  stateDir: string
  configDir: string
  /** Where the front door may have stored events. */
  folders: readonly string[]
  loaded: LoadedConfig
  /** What is wrong with the user's own templates, also of bodies, each with what to do. */
  templateProblems: readonly string[]
  events: readonly EventStatus[]
  /** Why events cannot be read. */
  unread?: readonly unknown[]
  /** Whether it only runs a hub, which needs no hooks. */
  isHub?: boolean
  isOnHold: boolean
  mutes: readonly Mute[]
  version: string
  now: number
}

/** What the checks of clients need. */
export type ClientFacts = ClientPlace & Pick<Facts, 'events' | 'now' | 'isHub'>

/** What determines where the settings of clients are. `status` needs only this part. */
export type ClientPlace = Pick<Facts, 'env' | 'cwd' | 'stateDir'>

export function check(id: string, status: CheckStatus, seen: string, what = ''): Check {
  return { id, status, seen, do: what }
}
