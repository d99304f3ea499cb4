import type * as z from 'zod'
// Not z.core, which would bundle every locale.
import { toDotPath } from 'zod/v4/core'
import { issueInWords, valueAt } from '../text/zod-issue.ts'

/** The emulator cannot start as asked: the message says what is wrong, `hint` what to do. */
export class EmulatorError extends Error {
  override name = 'EmulatorError'
  readonly hint: string | undefined
  /** Whether the options are valid, but a port or a file is in use. */
  readonly isTaken: boolean

  constructor(
    message: string,
    options: { hint?: string; cause?: unknown; isTaken?: boolean } = {},
  ) {
    super(message, { cause: options.cause })
    this.hint = options.hint
    this.isTaken = options.isTaken ?? false
  }
}

/** The `code` of a system error. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** Checks a value. Throws an `EmulatorError` that names the source and lists each problem as `path: message`. */
export function parseOr<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  source: string,
  hint?: string,
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const lines = error.issues.map((issue) => describeIssue(issue, value))
  throw new EmulatorError(`${source}: ${lines.join('; ')}`, { hint, cause: error })
}

function describeIssue(issue: z.core.$ZodIssue, raw: unknown): string {
  const { path } = issue
  const meant = issue.code === 'invalid_union' ? variantMeant(issue) : undefined
  if (meant) {
    const lines = meant.map((inner) =>
      describeIssue({ ...inner, path: [...path, ...inner.path] }, raw),
    )
    return lines.join('; ')
  }
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${toDotPath([...path, key])}: is an unknown field`).join('; ')
  const isExplained = issue.code === 'invalid_union' && issue.message !== UNEXPLAINED
  const problem = isExplained ? issue.message : issueInWords(issue, valueAt(raw, path))
  return path.length > 0 ? `${toDotPath(path)}: ${problem}` : problem
}

/** What zod says about a value that matches none of the variants, unless the schema explains it. */
const UNEXPLAINED = 'Invalid input'

/** The problems of the variant that comes closest, if there is one. */
function variantMeant({ errors }: z.core.$ZodIssueInvalidUnion) {
  const [first, second] = errors.toSorted((one, other) => one.length - other.length)
  return first && second && first.length < second.length ? first : undefined
}
