import { encode } from '../validation/encode.ts'
import { tryAlternatePath } from './alternate-path.ts'
import { perform, type Shared, type Target } from './call.ts'
import { atCallSite, type CallSite, captureCallSite } from './call-site.ts'
import type { Operation } from './operation.ts'
import { type CallOptions, noOptions } from './options.ts'
import { PageList } from './page.ts'
import { readResponse } from './read-response.ts'
import { isRecord } from './record.ts'

/** The method of a client for one endpoint. */
export function makeMethod(shared: Shared, entry: Operation) {
  const { page } = entry
  if (!page)
    return function call(input?: unknown, options: CallOptions = noOptions): Promise<unknown> {
      return callEndpoint(shared, entry, input, options)
    }
  return function list(
    input?: unknown,
    options: CallOptions = noOptions,
  ): PageList<unknown, unknown> {
    const site = captureCallSite(list)
    const given = isRecord(input) ? input : {}
    const cursor = given[page.cursor]
    const size = given[page.size]
    return new PageList({
      id: entry.id,
      style: page,
      cursor: typeof cursor === 'string' ? cursor : undefined,
      size: typeof size === 'number' ? size : undefined,
      fetch: (next) =>
        callEndpoint(shared, entry, withCursor(input, page.cursor, next), options, site),
    })
  }
}

function withCursor(input: unknown, name: string, cursor: string | undefined): unknown {
  return cursor === undefined ? input : { ...Object(input), [name]: cursor }
}

async function callEndpoint(
  shared: Shared,
  entry: Operation,
  input: unknown,
  options: CallOptions,
  site?: CallSite,
): Promise<unknown> {
  try {
    const answered = await reach(shared, entry, input, options)
    return readResponse(shared, entry, answered)
  } catch (error) {
    throw atCallSite(error, site, 'callEndpoint')
  }
}

// No async function: it would hide from the engine who awaits the call.
function reach(shared: Shared, entry: Operation, input: unknown, options: CallOptions) {
  const override = shared.options.paths?.[entry.id]
  const known = override ?? shared.workingPaths.get(entry.id) ?? entry.path
  const target = targetOf(shared, entry, known, input)
  const { alternatePath } = entry
  if (override !== undefined || !alternatePath || known === alternatePath)
    return perform(shared, target, options)
  return tryAlternatePath(shared, target, targetOf(shared, entry, alternatePath, input), options)
}

function targetOf(shared: Shared, entry: Operation, path: string, input: unknown): Target {
  const { id, method, host, retry, hints = {} } = entry
  const encoded = encode(entry, input, { wire: shared.options.wire?.[id], path })
  const treat404AsDeleted = method === 'DELETE' && retry === 'safe'
  return { id, method, route: path, host, retry, hints, treat404AsDeleted, ...encoded }
}
