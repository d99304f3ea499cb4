import type { Reading } from './event-map.ts'
import type { HookEntry } from './hook-command.ts'

/** How the client expects this file. A `hooks.json` that is wrapped stays so. */
export interface InstallRequest extends Reading {
  /** The file's name in messages. */
  path: string
  events: readonly string[]
  hook: HookEntry
  /** What else the file has to say at its top level. What it says already stays. */
  header?: Readonly<Record<string, unknown>> | undefined
  /** Leaves the timeout of a hook that is there: another one would cost it the trust it was given. */
  keepsTimeout?: boolean
}
