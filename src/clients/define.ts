/** `bare`: event names are the top-level keys. `wrapped`: they are the keys below `hooks`. */
export type Shape = 'bare' | 'wrapped'

export type Scope = 'user' | 'project'

export interface SettingsFile {
  /** Relative to the client's folder. */
  name: string
  shape: Shape
}

/** A setting with which a client runs no hook of ours, without saying so. */
export interface KillSwitch {
  key: string
  /** Whose settings it works in: the user's and the project's, or only the organization's. */
  in: 'own' | 'managed'
}

/** What is to be known about one agent client. Data only: no client has code of its own. */
export interface Client {
  /** Equals the file name, the registry key and the value of `--client`. */
  name: string
  title: string
  /** The client's folder in a project and, unless moved, in the home directory. */
  folder: string
  /** Variables that move it: `home` replaces the home directory, `folder` the folder itself. */
  movedBy: { home?: string; folder?: string }
  /**
   * Where hooks are read from at either scope: the first file that exists is in force.
   * Where none exists, the last one is created.
   */
  settings: readonly [SettingsFile, ...SettingsFile[]]
  /** Places of older versions. They are never written, only pointed out. */
  legacy: readonly string[]
  /** The events to register, under the client's own names. */
  events: readonly [string, ...string[]]
  timeoutUnit: 's' | 'ms'
  /** What runs a hook command on Windows. Elsewhere it is always a POSIX shell. */
  windowsShell: 'cmd' | 'sh'
  killSwitches: readonly KillSwitch[]
  /** The organization's settings file by `process.platform`. */
  managed: Readonly<Partial<Record<NodeJS.Platform, string>>>
  /** Below which folders, relative to the client's folder, transcripts are. */
  transcripts: readonly string[]
  restartNote: string
}

export function defineClient<const Definition extends Client>(client: Definition): Definition {
  return client
}
