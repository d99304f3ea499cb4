import {
  describeError,
  type ErrorCode,
  type HookbellError,
  pathFault,
  usageError,
} from '../errors.ts'
import { cleanText, escapeControls } from '../text/clean.ts'
import { asTyped } from './how-to-call.ts'
import { colour, terminalWidth } from './terminal.ts'
import { wrapText } from './wrap-text.ts'

/** sysexits(3), and never 2: an agent may read that as "block the action". */
export const exitCodes: Record<ErrorCode, number> = {
  E_USAGE: 64,
  E_EVENT: 65,
  E_DATA: 65,
  E_UNAVAILABLE: 69,
  E_SPOOL: 73,
  E_PROTOCOL: 76,
  E_PERMISSION: 77,
  E_CONFIG: 78,
  E_SETTINGS: 78,
  E_TEMPLATE: 78,
  E_FAILED: 1,
  // As a shell reports a command that SIGINT ended.
  E_INTERRUPTED: 130,
}

export function exitCodeOf(error: unknown): number {
  if (isUsageError(error)) return exitCodes.E_USAGE
  if (isHookbellError(error)) return exitCodes[error.code]
  return isSystemError(error) ? 74 : 70
}

const MAY_NOT =
  'Check the owner and the mode of that file and of its folder, or see: hookbell doctor'
/** So that the first one stays on the screen. */
const MOST_ERRORS = 12
const CHECK_FOLDER = 'Check that folder, and that the disk has room'
const IS_FULL = 'Make room on that disk'
const systemHints: { [code: string]: string } = {
  EACCES: MAY_NOT,
  EPERM: MAY_NOT,
  ENOSPC: IS_FULL,
  EDQUOT: IS_FULL,
  EROFS:
    'That file system can only be read: name another folder with HOOKBELL_STATE_DIR or HOOKBELL_CONFIG_DIR',
}

/**
 * Prints a user's mistake as one line with a hint, and a bug of ours with its stack. With `--json` either is one line of
 * JSON, because a program reads it.
 */
export function reportError(error: unknown, command = '', words: readonly string[] = []) {
  const fault = faultOf(error, command)
  if (asksForJson(words)) process.stderr.write(`${jsonOf(fault)}\n`)
  else if (fault.code === BUG) process.stderr.write(`${fault.hint}:\n${fault.message}\n`)
  else tellAll([fault, ...(fault.others ?? [])])
}

/** Words after `--` are text, not options. */
function asksForJson(words: readonly string[]): boolean {
  const [at, end] = [words.indexOf('--json'), words.indexOf('--')]
  return at >= 0 && (end < 0 || at < end)
}

const BUG = 'E_BUG'

/** What is printed of an error. */
interface Fault {
  /** For a failed system call, that of the system, such as ENOSPC. */
  code: string
  message: string
  hint?: string | undefined
  cause?: unknown
  others?: readonly Fault[]
}

function faultOf(error: unknown, command: string): Fault {
  if (isHookbellError(error)) return error
  if (isUsageError(error)) return usageError(inOurWords(error.message, command), helpFor(command))
  if (isSystemError(error)) {
    const { code = 'E_FAILED' } = error
    const hint = pathFault(error)?.hint ?? systemHints[code] ?? CHECK_FOLDER
    return { code, message: describeError(error), hint }
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { code: BUG, message, hint: 'This is a fault in hookbell, please report it' }
}

/** One line. The client's error is its cause, without the body of the response. */
function jsonOf(fault: Fault): string {
  return escapeControls(JSON.stringify({ error: factsOf(fault) }))
}

function factsOf({ code, message, hint, cause, others = [] }: Fault): object {
  return {
    ...{ code, message, hint: hint ? asTyped(hint) : undefined },
    ...(hasFacts(cause) && { cause: cause.toJSON() }),
    ...(others.length > 0 && { others: others.map(factsOf) }),
  }
}

function helpFor(command: string) {
  return `See: hookbell ${command} --help`
}

function hasFacts(cause: unknown): cause is { kind: string; toJSON(): object } {
  const { kind, toJSON } = Object(cause)
  return typeof kind === 'string' && typeof toJSON === 'function'
}

/** Compares the name, not the class: each bundle of the built program has its own copy of the class. */
function isHookbellError(error: unknown): error is HookbellError {
  return error instanceof Error && error.name === 'HookbellError'
}

function inOurWords(message: string, command: string): string {
  const [, missing] = /^Missing required (?:positional )?argument: (.+)$/.exec(message) ?? []
  if (missing !== undefined) return `${command}: ${missing} is missing`
  return message.charAt(0).toLowerCase() + message.slice(1)
}

/** What citty throws for a missing or wrong argument. */
function isUsageError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'CLIError'
}

/** A failed system call, such as for an unreadable file or a full disk: a fault of the machine, not of our code. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

function tellAll(errors: readonly Fault[]) {
  for (const { message, hint } of errors.slice(0, MOST_ERRORS)) tell(message, hint)
  if (errors.length > MOST_ERRORS) tell(`and ${errors.length - MOST_ERRORS} more`)
}

function tell(message: string, hint?: string) {
  const columns = terminalWidth('stderr')
  const what = wrapText(`x ${cleanText(message)}`, columns, 2).slice(1)
  process.stderr.write(`${colour('red', 'x', 'stderr')}${what}\n`)
  if (!hint) return
  const now = wrapText(`  ${cleanText(asTyped(hint))}`, columns)
  process.stderr.write(`${colour('dim', now, 'stderr')}\n`)
}
