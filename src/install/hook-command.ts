import { posix, win32 } from 'node:path'
import type { Client } from '../clients/define.ts'
import { type ClientName, clients } from '../clients/index.ts'
import { quoteWord } from '../text/shell.ts'

/** How long a client waits for the front door. It needs milliseconds; a stalled machine gets this. */
const TIMEOUT_MS = 10_000

/** How much longer than the front door waits for an answer the client waits for the front door. */
const LONGER_MS = 30_000

const WORD = String.raw`(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\;&|<>(){}])+`

/** Matches a whole command only: a longer one that a person built around ours belongs to them. */
const OURS_GUARDED = new RegExp(
  String.raw`^(?:\{ (?:trap 'exit 0' 0; )?)?(?:(?<node>${WORD}) )?(?<door>${WORD}) --client [a-z][a-z0-9-]*(?: --shared)?(?: --wait \d{1,4})?` +
    String.raw`(?:; trap - 0)?(?:; \})?(?: >(?:/dev/null|NUL) 2>&1| 2>/dev/null)?(?: \|\| (?::|true|exit /b 0))?$`,
)

/** Starts the front door in Node.js, silently if it is gone. In double quotes, no character is special in any shell. */
const LOADER = 'try{require(process.argv[1])}catch{}'

const OURS_ON_WINDOWS =
  /^(?:@(?<node>"[^"]*")|node) -e "try\{require\(process\.argv\[1\]\)\}catch\{\}" (?<door>"[^"]*") --client [a-z][a-z0-9-]*(?: \|\| exit 0| ; exit 0)$/

/** One simple command, for a client that appends the payload to the command line as a here-document. */
const OURS_SIMPLE = new RegExp(
  String.raw`^(?:/bin/)?sh -c '\{ (?:trap "exit 0" 0; )?"\$0" --client [a-z][a-z0-9-]*(?: --shared)?; \} >/dev/null 2>&1 \|\| :' (?<door>${WORD})$`,
)

export interface HookEntry {
  /** Left out where entries are not nested, because there is no other type. */
  type?: 'command'
  command: string
  shell?: 'powershell'
  timeout: number
}

/**
 * The command line to register for the front door at `path`: exit 0 and silence whatever happens,
 * also when the front door is gone or killed.
 */
export function hookCommand(
  path: string,
  client: ClientName,
  { platform = process.platform, node = process.execPath } = {},
): string {
  return platform === 'win32'
    ? windowsCommand(path, client, node)
    : guard(quoteWord(path), client, client)
}

/**
 * Without a redirection: Git Bash takes `NUL` for the name of a file, and cmd.exe, when it redirects, may pass its end of
 * the agent's pipe on to the worker.
 */
function windowsCommand(path: string, client: ClientName, node: string): string {
  const words = `-e "${LOADER}" "${path.replaceAll('\\', '/')}" --client ${client}`
  // cmd.exe searches the folder of the project for `node` first. Without the `@`, it may take the first quote away.
  if (clients[client].windowsShell === 'cmd') return `@"${node}" ${words} || exit 0`
  // PowerShell prints a quoted word instead of running it, so `node` has to be on the PATH.
  return `node ${words} ; exit 0`
}

/**
 * The command line for a file that is shared through a repository. It names no user and no home
 * directory, finds the front door of the user who runs it, and does nothing where there is none.
 * `--shared` marks its events, so that users who also have hooks in their own settings get each message once.
 */
export function sharedHookCommand(client: ClientName): string {
  const state = '${HOOKBELL_STATE_DIR:-${XDG_STATE_HOME:-$HOME/.local/state}/hookbell}'
  return guard(`"${state}/hookbell-hook"`, client, `${client} --shared`)
}

/** The command line for a question that can be answered from elsewhere: what the front door prints is the answer. */
export function waitingCommand(path: string, client: ClientName, seconds: number): string {
  const program = quoteWord(path)
  return `{ trap 'exit 0' 0; ${program} --client ${client} --wait ${seconds}; trap - 0; } 2>/dev/null || :`
}

/** For how long a command of ours waits for an answer, in seconds; undefined if it does not. */
export function waitIn(command: string): number | undefined {
  const [, seconds] = /--client [a-z][a-z0-9-]* --wait (\d{1,4});/.exec(command) ?? []
  return seconds === undefined ? undefined : Number(seconds)
}

/** The entry of one event, with a timeout in the client's own unit. */
export function hookEntry(client: Client, command: string, platform = process.platform): HookEntry {
  // Always explicit: without it Claude Code ends SessionEnd hooks after 1.5 s.
  const waits = waitIn(command)
  const timeout = inUnitOf(client, waits === undefined ? TIMEOUT_MS : waits * 1000 + LONGER_MS)
  if (client.entries !== 'nested') return { command, timeout }
  const isAsked = client.asksForPowerShell && platform === 'win32'
  return { type: 'command', command, ...(isAsked && { shell: 'powershell' }), timeout }
}

/** The timeouts of the events for which the client allows less. */
export function timeoutsOf(client: Client): Record<string, number> {
  const limits = Object.entries(client.timeoutLimitsMs ?? {})
  return Object.fromEntries(limits.map(([event, ms]) => [event, inUnitOf(client, ms)]))
}

function inUnitOf({ timeoutUnit }: Client, ms: number): number {
  return timeoutUnit === 's' ? ms / 1000 : ms
}

/** The front door that a command of ours starts; undefined if that depends on the environment. */
export function doorIn(command: string, platform = process.platform): string | undefined {
  const { isAbsolute, normalize } = platform === 'win32' ? win32 : posix
  const word = wordsOf(command)?.door ?? ''
  if (word.replace(/'[^']*'|\\./g, '').includes('$')) return undefined
  const door = word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, '$1$2$3')
  return isAbsolute(door) ? normalize(door) : undefined
}

/** True if `init` wrote this command, now or before, for any client. */
export function isHookCommand(command: unknown): boolean {
  if (typeof command !== 'string') return false
  const groups = wordsOf(command)
  if (!groups?.door) return false
  const isNode = !groups.node || /(?:^|[\\/'"])node(?:\.exe)?['"]?$/i.test(groups.node)
  return isNode && /(?:^|[\\/'"])(?:hookbell-hook|hook\.cjs)['"]?$/.test(groups.door)
}

function wordsOf(command: string) {
  // One after the other: V8 compiles each at its first use.
  const found =
    OURS_GUARDED.exec(command) ?? OURS_SIMPLE.exec(command) ?? OURS_ON_WINDOWS.exec(command)
  return found?.groups
}

// The braces are needed because bash reports a killed child on the stderr of the list, not of the command. The trap is
// needed because dash exits with 2 if it cannot start a process, whatever follows, and agents read that as "block". It is
// removed at the end, because its `exit` would make a login shell read ~/.bash_logout. Codex may use one for a hook.
function guard(program: string, client: ClientName, options: string): string {
  const { isCommandExtended }: Client = clients[client]
  if (isCommandExtended)
    // With its full path: with an unusable PATH, the shell that reads this line would print that there is no `sh`.
    return `/bin/sh -c '{ trap "exit 0" 0; "$0" --client ${options}; } >/dev/null 2>&1 || :' ${program}`
  return `{ trap 'exit 0' 0; ${program} --client ${options}; trap - 0; } >/dev/null 2>&1 || :`
}
