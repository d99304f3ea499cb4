import { isRecord } from '../schemas/_record.ts'
import { type Answered, perform, type Shared, type Target } from './call.ts'
import { encode } from './encode.ts'
import type { Endpoint } from './endpoint.ts'
import { NotFoundError } from './http-errors.ts'
import type { CallOptions } from './options.ts'
import { PageList } from './page.ts'
import { readAnswer } from './read-answer.ts'
import { atSite, captureSite } from './site.ts'

/** The method of a client for one endpoint. */
export function makeMethod(shared: Shared, entry: Endpoint) {
  const { page } = entry
  if (!page)
    return function call(input?: unknown, options: CallOptions = {}): Promise<unknown> {
      return callEndpoint(shared, entry, input, options, captureSite(call))
    }
  return function list(input?: unknown, options: CallOptions = {}): PageList<unknown, unknown> {
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
  entry: Endpoint,
  input: unknown,
  options: CallOptions,
  site: ReturnType<typeof captureSite>,
): Promise<unknown> {
  try {
    const answered = await reach(shared, entry, input, options)
    return readAnswer(shared, entry, answered)
  } catch (error) {
    throw atSite(error, site)
  }
}

/** Tries the second address of an endpoint if the first is not there, and remembers what worked. */
async function reach(shared: Shared, entry: Endpoint, input: unknown, options: CallOptions) {
  const override = shared.options.paths?.[entry.id]
  const known = override ?? shared.movedPaths.get(entry.id) ?? entry.path
  const first = targetOf(shared, entry, known, input)
  const { alternatePath } = entry
  if (override !== undefined || alternatePath === undefined || known === alternatePath)
    return perform(shared, first, options)
  try {
    return await perform(shared, first, options)
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    const second = targetOf(shared, entry, alternatePath, input)
    const answered = await perform(shared, second, options).catch(() => undefined)
    if (!answered) throw error
    shared.movedPaths.set(entry.id, alternatePath)
    return answered satisfies Answered
  }
}

function targetOf(shared: Shared, entry: Endpoint, path: string, input: unknown): Target {
  const { id, method, host, retry, hints = {} } = entry
  const encoded = encode(entry, input, { wire: shared.options.wire?.[id], path })
  const goneIsDone = method === 'DELETE' && retry === 'safe'
  return { id, method, route: path, host, retry, hints, goneIsDone, ...encoded }
}
