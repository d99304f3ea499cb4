import type { HeadlessMark, Repeat, Surface, Variant, Where } from './payload-facts.ts'
import type { CanonicalEvent, NoticeMeaning } from './vocabulary.ts'

/** `bare`: event names are the top-level keys. `wrapped`: they are the keys below `hooks`. */
export type HookLayout = 'bare' | 'wrapped'

/** `local`: a file in a project that only this user has. */
export type Scope = 'user' | 'project' | 'local'

export interface SettingsFile {
  /** Relative to the client's folder. */
  name: string
  shape: HookLayout
}

/** A setting that makes a client silently skip our hooks. */
export interface KillSwitch {
  /** The path of the setting in the file, with dots between the names of nested objects. */
  key: string
  /** The settings in which it has an effect: the user's and the project's, or only the organization's. */
  in: 'own' | 'managed'
  /** The value that switches hooks off. @default true */
  off?: boolean
}

export interface OwnNotifications {
  /** Relative to the client's folder of the user. */
  file: string
  /** The path of the setting in the file, with dots between the names of nested objects. */
  key: string
  /** The values by which it does not notify, or only where it does so without the setting too. */
  off: readonly unknown[]
}

/**
 * Where a client reads hooks from, scope by scope, for `doctor` and for the settings editor. A command that is in two
 * files runs once in claude, cursor, gemini and qwen, and twice in codex, copilot and droid.
 */
export interface HookFile {
  scope: 'user' | 'project' | 'local' | 'managed'
  /** Relative to the client's folder (user), to the project (project, local), or absolute (managed). */
  path: string
  form: HookLayout | 'toml' | 'tables' | 'plugin'
  /** What a kill switch in it switches off, where that is not every hook. */
  switches?: 'itself' | 'nothing'
}

/** How a group of facts is known: measured, documented, read in the source, or none of these. */
type Evidence = 'measured' | 'documented' | 'source' | 'unverified'

/** The transcript formats that `src/context/transcripts/` reads; `none` if there is no readable transcript. */
export type TranscriptFormat =
  | 'claude'
  | 'droid'
  | 'qwen'
  | 'gemini'
  | 'codex'
  | 'copilot'
  | 'kimi'
  | 'none'

/**
 * All facts about one agent client that the program uses. Data only: no client has its own code. What a hook prints is
 * not among them: ours never prints, because some clients give it to the model, and others read it
 * as an answer.
 */
export interface Client {
  /** Equals the file name, the registry key and the value of `--client`. */
  name: string
  title: string
  /** The client's folder in a project and, unless moved, in the home directory. */
  folder: string
  /** The folder below the home directory, where it is not `folder`. */
  userFolder?: string
  /** Variables that move the folder: `home` replaces the home directory, `folder` the folder itself. */
  movedBy: { home?: string; folder?: string }
  /** Variables that hold the folder in which the session began, if the client sets them for its hooks; the first counts. */
  beganIn?: readonly string[]
  /** Programs on the PATH that show that the client is installed. Its folder shows it too. */
  programs: readonly string[]
  /**
   * The files in which `init` writes hooks, at either scope: the first one that exists is used.
   * If none exists, the last one is created.
   */
  settings: readonly [SettingsFile, ...SettingsFile[]]
  /** Every file from which the client reads hooks, whether `init` writes it or not. */
  hookFiles: readonly HookFile[]
  /**
   * `nested`: `[{matcher?, hooks: [{type, command}]}]`; `flat`: `[{command}]`; `tables`: `[[hooks]]` of a TOML file;
   * `plugin`: a script that starts the front door.
   */
  entries: 'nested' | 'flat' | 'tables' | 'plugin'
  /** Hooks for an event in the first of `settings` hide those for the same event in the others. */
  hidesByEvent?: true
  /** The client appends text to the command line, so our command must be one simple command. */
  isCommandExtended?: true
  /** If any entry of a file is malformed, the client runs no hook of that file. */
  isVoidedByOneEntry?: true
  /** Other required keys at the top level of the file, such as `version`. */
  fileHeader?: Readonly<Record<string, unknown>>
  /** Files of older versions. They are never written, only reported. */
  legacy: readonly string[]
  /** The events to register, under the client's own names. */
  events: readonly [string, ...string[]]
  /** The tools for which an event is registered, as the client matches them; all, for an event that is not here. */
  matchers?: Readonly<Record<string, string>>
  timeoutUnit: 's' | 'ms'
  /** The longest timeout of some events, in ms. The client warns if an entry has a longer one. */
  timeoutLimitsMs?: Readonly<Record<string, number>>
  /** `init` keeps the timeouts of our hooks, because the client would no longer trust a hook with another one. */
  keepsTimeouts?: true
  /** The shell that runs a hook command on Windows: cmd.exe, or PowerShell or Git Bash. Elsewhere it is a POSIX shell. */
  windowsShell: 'cmd' | 'other'
  /** On Windows an entry has to ask for PowerShell: cmd.exe would get the quotes of a command with backslashes. */
  asksForPowerShell?: true
  killSwitches: readonly KillSwitch[]
  /** Settings of the user by which the client notifies by itself. They are only reported. */
  ownNotifications?: readonly OwnNotifications[]
  /** The organization's settings file by `process.platform`. */
  managed: Readonly<Partial<Record<NodeJS.Platform, string>>>
  /** The folders that contain transcripts, relative to the client's folder. */
  transcripts: readonly string[]
  transcriptFormat: TranscriptFormat
  /**
   * The transcript of a session, in the first of these folders, for events that do not name it; `*` stands for the id, a
   * `?/` at the start for any folder.
   */
  sessionTranscript?: `${string}*${string}`
  /**
   * The transcript of a sub-agent, in the folder that has the name of the session's transcript without its extension; `*`
   * stands for the id. Absent if events of sub-agents name it themselves, or if it is not known.
   */
  agentTranscript?: `${string}*${string}`
  /**
   * The answer in a payload is all that the agent said in the turn, joined; if it said nothing, these words. Its last
   * answer is in the transcript.
   */
  joinsAnswers?: { none: string }
  /** How long after the start of the hook the transcript may still lack lines about the event, in ms. */
  transcriptLateByMs: number
  restartNote: string

  /** The client's own event names, where they are not those of `canonicalEvents`. */
  aliases: Readonly<Record<string, CanonicalEvent>>
  /** Events whose payload does not name them, recognised by their fields; the first match counts. */
  unnamed: readonly { where: Where; event: string }[]
  /** This client's names of fields, tried before the common ones; dots lead into nested objects. */
  fieldNames: Readonly<Record<string, readonly string[]>>
  /** Payloads whose event name alone is misleading; the first whose conditions hold counts. */
  variants: readonly Variant[]
  /** The first whose variables match counts; none of them does in a terminal. */
  surfaces?: readonly Surface[]
  /** Types of Notification that mean something else than for other clients. */
  notices: Readonly<Record<string, NoticeMeaning>>
  /** Pairs of events that report the same thing twice. */
  repeats: readonly Repeat[]
  /** Reasons of SessionEnd that mean nothing, because the client gives them for every end. */
  ordinaryEnds: readonly string[]
  /** The end of a turn does not tell which sub-agents go on: it answers none of their questions. */
  hidesAgents?: true
  /** Nothing continues the session when a sub-agent is over that outlived the turn: that is the end of its work. */
  agentsOutliveTurn?: true
  /** The `agent_id` of the session's own agent, which is not a sub-agent. */
  mainAgent?: string
  /** The end of a sub-agent's turn is reported like that of the session's: only the transcript tells them apart. */
  endsForAgents?: true
  /** Begins turns by itself, as scheduled, with the event for a prompt: only its transcript shows that. */
  wakesItself?: true
  /** Writes to its transcript, after the hooks for the end of a turn, whether one of them made the agent go on. */
  writesStopResult?: true
  /** How long after the end of a turn, in ms, its transcript shows the next prompt, if one was waiting. */
  queuedPromptMs?: number
  /** Writes to its transcript which prompts wait for the end of the turn. */
  writesQueue?: true
  /** Reports each error of the model as a failed turn, and then tries again. Its transcript shows which one ended the turn. */
  retriesErrors?: true
  /** Fires no hook when a turn fails or a review ends: only its transcript shows that. */
  hidesFailures?: true
  /**
   * The socket of its server, relative to the client's folder. While it exists, the server runs the hooks of all sessions, with
   * the environment and the terminal of the one that started it.
   */
  sharedServer?: string
  /** How long to hold back a question, in ms, because the client may answer it itself at once. */
  holdQuestionMs: number
  /** The same, in a session that is known to run without a person. */
  holdUnattendedQuestionMs?: number
  /** Additional events, and types of Notification, that show that an open question was answered. */
  answeredBy: readonly string[]
  /** It announces a question only once the one before it is answered: in a session, one dialog follows the other. */
  asksInTurn?: true
  /** A question in words is announced by a notice without these words: they are in the call of the tool. */
  asksInDialogs?: true
  /**
   * What a hook for `PermissionRequest` prints is the answer. `beside`: the client shows its question while the hook still
   * waits, so waiting costs nobody anything. `before`: it shows it only when the hook has ended. With `isFull` an answer may
   * also have a changed input, such as choices, and rules.
   */
  takesAnswers?: { asks: 'beside' | 'before'; isFull?: true }
  /** The words of a notice that asks for permission for several calls at once, with their number. */
  countsCalls?: RegExp
  /** Tools with which the agent asks the person a question, as opposed to permission. */
  askTools: readonly string[]
  headless: readonly HeadlessMark[]
  /** A variable of its own, kept by the front door, with which its session asks that nobody is notified of it. */
  switchedOffBy?: string
  /**
   * What the client sets for the commands that it runs: one of these is enough, if all its variables have these values;
   * `true` stands for any value. A person's own shell must match none. Measured for claude, codex, droid, gemini and qwen.
   */
  environmentMarks: readonly Readonly<Record<string, true | string>>[]
  /** Its sessions take messages through the API, as `hookbell reply` posts them. */
  repliesThroughApi?: true
  /** The command that goes on with a session, in its folder; `*` stands for the id. Absent if none is known. */
  resume?: `${string}*${string}`
  /** Sets of conditions, each of which is met only by payloads of this client. */
  marks: readonly Where[]
  /** Clients whose hooks this one also runs, so that a hook registered for them may report events of this client. */
  alsoRuns: readonly string[]
  /** How well each group of facts is known. `doctor` reports groups that are not verified. */
  verified: Readonly<
    Record<'settings' | 'events' | 'meaning' | 'transcript' | 'headless' | 'trust', Evidence>
  >
}

/** Checks the shape of a definition and keeps its exact type. */
export function defineClient<const Definition extends Client>(client: Definition): Definition {
  return client
}
