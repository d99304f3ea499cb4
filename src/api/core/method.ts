import { NotFoundError } from '../errors.ts'
import type { Operation, PageStyle } from '../operation.ts'
import type { EndpointId } from '../operations.ts'
import { now } from '../timers.ts'
import { encode } from '../validation/encode.ts'
import { type CallSite, captureCallSite, makeApiPromise } from './api-promise.ts'
import type { Shared, Target } from './attempt.ts'
import { perform } from './call.ts'
import { pause } from './clock.ts'
import { type CallOptions, noOptions } from './options.ts'
import { PageList } from './page.ts'
import { readResponse } from './read-response.ts'

/** Makes the client method for one endpoint. Its operation is loaded at the first call. */
export function makeMethod(
  shared: Shared,
  page: PageStyle | undefined,
  operation: () => Operation,
) {
  // Callers without types give null for nothing.
  const call = (input: unknown, options?: CallOptions | null, site?: CallSite) =>
    makeApiPromise(
      (isStreamed) => reach(shared, operation(), input, options ?? noOptions, isStreamed),
      (answered) => readResponse(shared, operation(), answered, input),
      site,
    )
  if (!page) return (input?: unknown, options?: CallOptions) => call(input, options)
  return function list(input?: unknown, options?: CallOptions): PageList<unknown, unknown> {
    const site = captureCallSite(list)
    return new PageList({
      entry: operation(),
      style: page,
      firstCursor: () => Object(input)[page.cursor],
      fetch(next) {
        const paged = next === undefined ? input : { ...Object(input), [page.cursor]: next }
        return call(paged, options, site)
      },
      pause: (ms) => pause(ms, options?.signal, shared.pauses),
    })
  }
}

/** Tries the other path of an endpoint that has two if one is not found, and remembers the one that works. */
function reach(
  shared: Shared,
  entry: Operation,
  input: unknown,
  options: CallOptions,
  isStreamed: () => boolean,
) {
  const { id, path: usual, alternatePath } = entry
  const { workingPaths } = shared
  const override = shared.options.paths?.[id as EndpointId]
  const known = override ?? workingPaths.get(id) ?? usual
  const other = known === alternatePath ? usual : alternatePath
  const startedAt = now()
  const go = (path: string) =>
    perform(shared, targetOf(shared, entry, path, input, options), options, isStreamed, startedAt)
  // Not async: one more async function would hide the caller from V8's async stack trace.
  if (override || !other) return go(known)
  return go(known).catch(async (error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error
    const answered = await go(other).catch((second: unknown) => {
      throw second instanceof NotFoundError ? error : second
    })
    workingPaths.set(id, other)
    return answered
  })
}

function targetOf(
  shared: Shared,
  entry: Operation,
  path: string,
  input: unknown,
  options: CallOptions,
): Target {
  const { id, hints } = entry
  const { wire, strict } = shared.options
  const isStrict = options.strict ?? strict
  const { method, host, retry } = entry
  const overrides = { ...options, wire: wire?.[id as EndpointId], path, isStrict }
  const { path: filled, body, drift } = encode(entry, input, overrides)
  for (const one of drift) shared.reportDrift(one)
  return { place: id, method, route: path, host, retry, hints, path: filled, body }
}
