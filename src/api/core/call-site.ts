import { hasErrorMarker } from '../errors.ts'

/** Where a call was made: the stack without the frames of the client. */
export interface CallSite {
  stack?: string
}

/**
 * Captures the stack of the caller of `method`. This takes 10 µs, a tenth of a fast request, so only lists
 * do it, which make many requests. Single calls rely on V8's async stack traces.
 */
export function captureCallSite(method: (...values: never[]) => unknown): CallSite {
  const site: CallSite = {}
  Error.captureStackTrace(site, method)
  return site
}

/** Lets the stack of an error begin where the call was made, not inside the client. */
export function atCallSite(error: unknown, site: CallSite | undefined, entry: string): unknown {
  if (!hasErrorMarker(error)) return error
  const { stack, name, message } = error
  const frames = site?.stack ? site.stack.split('\n').slice(1) : framesAfter(stack, entry)
  if (frames.length === 0) return error
  error.stack = [`${name}: ${message}`, ...frames].join('\n')
  return error
}

/** The stack frames that await the function. Empty if the caller did not await it. */
function framesAfter(stack = '', entry: string): string[] {
  const lines = stack.split('\n')
  const last = lines.findLastIndex(
    (line) => / at (async )?(.*\.)?(\w+) \(/.exec(line)?.[3] === entry,
  )
  return last < 0 ? [] : lines.slice(last + 1)
}
