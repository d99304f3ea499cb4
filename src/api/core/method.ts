import { perform, type Shared, type Target } from './call.ts'
import { encode } from './encode.ts'
import type { Operation } from './operation.ts'
import { type CallOptions, noOptions } from './options.ts'
import { PageList } from './page.ts'
import { readAnswer } from './read-answer.ts'
import { isRecord } from './record.ts'
import { atSite, captureSite, type Site } from './site.ts'

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
    const site = captureSite(list)
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
  site?: Site,
): Promise<unknown> {
  try {
    const answered = await reach(shared, entry, input, options)
    return readAnswer(shared, entry, answered)
  } catch (error) {
    throw atSite(error, site, 'callEndpoint')
  }
}

// No async function: it would hide from the engine who awaits the call.
function reach(shared: Shared, entry: Operation, input: unknown, options: CallOptions) {
  const override = shared.options.paths?.[entry.id]
  const known = override ?? shared.movedPaths.get(entry.id) ?? entry.path
  const target = targetOf(shared, entry, known, input)
  const { alternatePath } = entry
  const { reachEither } = shared
  if (!reachEither || override !== undefined || !alternatePath || known === alternatePath)
    return perform(shared, target, options)
  return reachEither(shared, target, targetOf(shared, entry, alternatePath, input), options)
}

function targetOf(shared: Shared, entry: Operation, path: string, input: unknown): Target {
  const { id, method, host, retry, hints = {} } = entry
  const encoded = encode(entry, input, { wire: shared.options.wire?.[id], path })
  const goneIsDone = method === 'DELETE' && retry === 'safe'
  return { id, method, route: path, host, retry, hints, goneIsDone, ...encoded }
}
