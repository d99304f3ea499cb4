import type { Operation } from '../operation.ts'
import { isRecord } from '../record.ts'
import { type Encoded, encode } from '../validation/encode.ts'
import { tryAlternatePath } from './alternate-path.ts'
import { type ApiPromise, type InfoHolder, makeApiPromise } from './api-promise.ts'
import { infoOf, perform, type Shared, type Target } from './call.ts'
import { atCallSite, type CallSite, captureCallSite } from './call-site.ts'
import { type CallOptions, noOptions } from './options.ts'
import { PageList } from './page.ts'
import { readResponse } from './read-response.ts'

/** The method of a client for one endpoint. */
export function makeMethod(shared: Shared, entry: Operation) {
  const { page } = entry
  if (!page)
    return function call(input?: unknown, options: CallOptions = noOptions): ApiPromise<unknown> {
      const holder: InfoHolder = {}
      return makeApiPromise(callEndpoint(shared, entry, input, options, holder), holder)
    }
  return function list(
    input?: unknown,
    options: CallOptions = noOptions,
  ): PageList<unknown, unknown> {
    const site = captureCallSite(list)
    const given = isRecord(input) ? input : {}
    const cursor = given[page.cursor]
    return new PageList({
      id: entry.id,
      style: page,
      cursor: typeof cursor === 'string' ? cursor : undefined,
      fetch(next) {
        const holder: InfoHolder = {}
        const paged = withCursor(input, page.cursor, next)
        return makeApiPromise(callEndpoint(shared, entry, paged, options, holder, site), holder)
      },
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
  holder: InfoHolder,
  site?: CallSite,
): Promise<unknown> {
  try {
    const answered = await reach(shared, entry, input, options)
    holder.info = infoOf(answered)
    return readResponse(shared, entry, answered, input)
  } catch (error) {
    throw atCallSite(error, site, 'callEndpoint')
  }
}

// No async function: it would hide from the engine who awaits the call.
function reach(shared: Shared, entry: Operation, input: unknown, options: CallOptions) {
  const override = shared.options.paths?.[entry.id]
  const known = override ?? shared.workingPaths.get(entry.id) ?? entry.path
  const target = targetOf(shared, entry, known, input, options)
  const { alternatePath } = entry
  if (override !== undefined || !alternatePath || known === alternatePath)
    return perform(shared, target, options)
  const second = targetOf(shared, entry, alternatePath, input, options)
  return tryAlternatePath(shared, target, second, options)
}

function targetOf(
  shared: Shared,
  entry: Operation,
  path: string,
  input: unknown,
  options: CallOptions | null,
): Target {
  const { id, method, host, retry, hints = {} } = entry
  const { wire, strict } = shared.options
  const { extraQuery, extraBody } = options ?? noOptions
  const isStrict = options?.strict ?? strict ?? false
  const encoded: Encoded = encode(entry, input, {
    wire: wire?.[id],
    path,
    isStrict,
    extraQuery,
    extraBody,
  })
  for (const drift of encoded.drift) shared.reportDrift(drift)
  const treat404AsDeleted = method === 'DELETE' && retry === 'safe'
  const { path: filled, body } = encoded
  return { id, method, route: path, host, retry, hints, treat404AsDeleted, path: filled, body }
}
