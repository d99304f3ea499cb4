import type { CanonicalEvent, NoticeMeaning } from './vocabulary.ts'

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
  /** Where in the file, with dots between the names of nested objects. */
  key: string
  /** Whose settings it works in: the user's and the project's, or only the organization's. */
  in: 'own' | 'managed'
  /** The value that switches hooks off. @default true */
  off?: boolean
}

/** Where a client reads hooks from, scope by scope, for `doctor` and for the settings editor. */
export interface HookFile {
  scope: 'user' | 'project' | 'local' | 'managed'
  /** Relative to the client's folder (user), to the project (project, local), or absolute (managed). */
  path: string
  form: Shape | 'toml' | 'plugin'
  /** Told to people where it matters, such as that this file hides another. */
  note?: string
}

/** How sure a group of facts is: seen to happen, documented, read in the source, or none of these. */
export type Evidence = 'measured' | 'documented' | 'source' | 'unverified'

/** A test of one field of the payload: its exact text, a pattern, or whether it is there with a value at all. */
export type FieldTest = string | RegExp | boolean

/** Conditions that all hold, by the client's own names of the fields. */
export type Where = Readonly<Record<string, FieldTest>>

/** An event that means something else than its name says, recognised by its fields. */
export interface Variant {
  event: string
  where: Where
  means: CanonicalEvent
}

/**
 * Two events that are one thing that happened: an event that `again` describes adds nothing to an `after` of the same
 * session, if it comes within the time.
 */
export interface Repeat {
  after: CanonicalEvent
  again: CanonicalEvent
  /** Only Notifications of this type. */
  notificationType?: string
  withinMs: number
  /** Fields that must be equal in both. */
  same: readonly ('reason' | 'tool' | 'turnId')[]
}

/** What shows that nobody sits before a session. The first mark that is present decides. */
export interface HeadlessMark {
  /** An environment variable that the front door keeps, or a field of the payload. */
  from: 'env' | 'payload'
  name: string
  value: FieldTest
  isHeadless: boolean
}

/** The transcript formats that `src/context/transcripts/` reads; `none` where there is none to read. */
export type TranscriptFormat = 'claude' | 'droid' | 'qwen' | 'gemini' | 'codex' | 'copilot' | 'none'

/** What is to be known about one agent client. Data only: no client has code of its own. */
export interface Client {
  /** Equals the file name, the registry key and the value of `--client`. */
  name: string
  title: string
  /** Whether `init` can write this client's settings. */
  isOffered: boolean
  /** The client's folder in a project and, unless moved, in the home directory. */
  folder: string
  /** The folder below the home directory, where it is not `folder`. */
  userFolder?: string
  /** Variables that move it: `home` replaces the home directory, `folder` the folder itself. */
  movedBy: { home?: string; folder?: string }
  /** Programs on the PATH that show that the client is installed. Its folder shows it too. */
  programs: readonly string[]
  /**
   * Where the editor writes hooks at either scope: the first file that exists is in force.
   * Where none exists, the last one is created.
   */
  settings: readonly [SettingsFile, ...SettingsFile[]]
  /** Every place that the client takes hooks from, ours or not. */
  hookFiles: readonly HookFile[]
  /** `nested`: `[{matcher?, hooks: [{type, command}]}]`; `flat`: `[{command}]`; `plugin`: a script that starts the door. */
  entries: 'nested' | 'flat' | 'plugin'
  /** An event that the first of `settings` names is not read from the others any more. */
  hidesByEvent?: true
  /** The client appends text to the command line, so that has to be one simple command. */
  isCommandExtended?: true
  /** One entry of the wrong form, anybody's, and the client runs no hook of that file. */
  isVoidedByOneEntry?: true
  /** What else the file has to say at its top level, such as `version`. */
  fileHeader?: Readonly<Record<string, unknown>>
  /** What becomes of one command that stands in two files. */
  sameCommandTwice: 'runs-once' | 'runs-twice' | 'unknown'
  /** Places of older versions. They are never written, only pointed out. */
  legacy: readonly string[]
  /** The events to register, under the client's own names. */
  events: readonly [string, ...string[]]
  timeoutUnit: 's' | 'ms'
  /** How long the client lets a hook run that names no timeout, in ms. */
  defaultTimeoutMs: number | undefined
  /** What the client does with a hook's standard output; ours never writes any. */
  stdoutRule: string
  /** What a person has to agree to before our hooks run; '' where nothing. */
  trustRule: string
  /** What an installer must keep stable, so that trust given once stays. */
  keep: readonly ('append-last' | 'command' | 'timeout')[]
  /** What runs a hook command on Windows. Elsewhere it is always a POSIX shell. */
  windowsShell: 'cmd' | 'sh'
  killSwitches: readonly KillSwitch[]
  /** The organization's settings file by `process.platform`. */
  managed: Readonly<Partial<Record<NodeJS.Platform, string>>>
  /** Below which folders, relative to the client's folder, transcripts are. */
  transcripts: readonly string[]
  transcriptFormat: TranscriptFormat
  /** How long after the hook started the transcript may still miss what it will say, in ms. */
  transcriptLateByMs: number
  restartNote: string

  /** The client's own event names, where they are not those of `canonicalEvents`. */
  aliases: Readonly<Record<string, CanonicalEvent>>
  /** Events whose payload does not name them, recognised by their fields; the first that fits counts. */
  unnamed: readonly { where: Where; event: string }[]
  /** Where this client puts a field that others put under another name; dots lead into nested objects. */
  fieldNames: Readonly<Record<string, readonly string[]>>
  /** Payloads whose name alone would mislead; the first whose conditions hold counts. */
  variants: readonly Variant[]
  /** Types of Notification that mean something else than with other clients. */
  notices: Readonly<Record<string, NoticeMeaning>>
  /** Events that tell of the same thing a second time. */
  repeats: readonly Repeat[]
  /** Reasons of SessionEnd that say nothing, because the client gives them for every end. */
  ordinaryEnds: readonly string[]
  /** For how long to hold a question back, because the client may answer it by itself at once. */
  holdQuestionMs: number
  /** Further events, and types of Notification, which show that an open question was answered. */
  answeredBy: readonly string[]
  /** Tools with which the agent asks the person something, rather than for leave. */
  askTools: readonly string[]
  headless: readonly HeadlessMark[]
  /** Its sessions take messages through the API, as `hookbell reply` posts them. */
  repliesThroughApi?: true
  /** Payloads that can only be this client's: any one set of conditions. */
  marks: readonly Where[]
  /** Clients whose settings it also runs, so that a hook registered there may speak for this one. */
  alsoRuns: readonly string[]
  /** What is known how well. `doctor` tells of what is not verified. */
  verified: Readonly<
    Record<'settings' | 'events' | 'meaning' | 'transcript' | 'headless' | 'trust', Evidence>
  >
}

/** Checks the shape of a definition and keeps its exact type. */
export function defineClient<const Definition extends Client>(client: Definition): Definition {
  return client
}
