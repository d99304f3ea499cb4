export type ErrorCode =
  | 'E_USAGE'
  | 'E_CONFIG'
  | 'E_SETTINGS'
  | 'E_SPOOL'
  | 'E_EVENT'
  | 'E_TEMPLATE'
  | 'E_UNAVAILABLE'
  | 'E_DATA'
  | 'E_PROTOCOL'
  | 'E_PERMISSION'
  | 'E_FAILED'
  | 'E_INTERRUPTED'

interface Options {
  hint?: string | undefined
  cause?: unknown
  others?: readonly HookbellError[]
}

/**
 * A mistake or fault that a person can act on: the message says what failed and on what,
 * `hint` says what to do now. Anything else that is thrown is a bug in hookbell.
 */
export class HookbellError extends Error {
  override name = 'HookbellError'
  readonly code: ErrorCode
  readonly hint: string | undefined
  /** What else is wrong with the same thing. */
  readonly others: readonly HookbellError[]

  constructor(code: ErrorCode, message: string, options: Options = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.hint = options.hint
    this.others = options.others ?? []
  }
}

/** The error for a command that was called with wrong arguments. */
export function usageError(message: string, hint?: string, cause?: unknown): HookbellError {
  return new HookbellError('E_USAGE', message, { hint, cause })
}

/** The message of anything that was thrown, as text for a person. */
export function describeError(error: unknown): string {
  // Made when no address of a host could be reached; its own message is empty.
  if (error instanceof AggregateError && !error.message) return describeError(error.errors[0])
  const fault = pathFault(error)
  const { dest, path = dest } = error as NodeJS.ErrnoException & { dest?: string }
  if (fault && path !== undefined) return `${dest ?? path}: ${fault.what}`
  return error instanceof Error ? error.message : String(error)
}

/** What is wrong with a path, and what to do about it. */
interface PathFault {
  what: string
  hint: string
}

/** What to do about a link that leads nowhere. */
export const REPAIR_LINK = 'Repair the link, or remove it'

export const NOT_REGULAR: PathFault = {
  what: 'not a regular file',
  hint: 'Put a regular file in its place',
}

const folderInPlace: PathFault = {
  what: 'a folder is in the place of the file',
  hint: 'Move that folder away',
}

const pathFaults: Readonly<Record<string, PathFault>> = {
  ELOOP: { what: 'a link that leads back to itself', hint: REPAIR_LINK },
  ENOTDIR: {
    what: 'a part of this path is not a folder',
    hint: 'Put a folder in the place of the file above it, or move that file away',
  },
  EISDIR: folderInPlace,
  // A socket, or a device without a driver.
  ENXIO: NOT_REGULAR,
  // From rmSync.
  ERR_FS_EISDIR: folderInPlace,
}

/** For a system error whose own message names only the system call. */
export function pathFault(error: unknown): PathFault | undefined {
  return pathFaults[errorCode(error) ?? '']
}

/** The `code` of a Node.js system error, or undefined. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
