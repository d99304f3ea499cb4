import { isClientError } from './errors.ts'

/** Where a call was made: the stack without the frames of the client. */
export interface Site {
  stack?: string
}

/** Remembers who called `method`. The text is made only if an error needs it. */
export function captureSite(method: (...values: never[]) => unknown): Site {
  const site: Site = {}
  Error.captureStackTrace(site, method)
  return site
}

/** Lets the stack of an error begin where the call was made, not in a timer of the client. */
export function atSite(error: unknown, site: Site): unknown {
  if (!isClientError(error) || !site.stack) return error
  const frames = site.stack.slice(site.stack.indexOf('\n') + 1)
  if (frames.startsWith('    at ')) {
    const stack = `${error.name}: ${error.message}\n${frames}`
    Object.defineProperty(error, 'stack', { value: stack, configurable: true, writable: true })
  }
  return error
}
