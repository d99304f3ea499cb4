import { isTooDeep } from './body.ts'

/** A request that reached the emulator. */
export interface RecordedRequest {
  /** Counts from 1. */
  number: number
  /** Unix milliseconds of the emulator's clock. */
  at: number
  host: 'base' | 'app'
  method: string
  path: string
  query: Record<string, string | string[]>
  /** As received, except that only the end of a credential is kept, also in `query`. */
  headers: Record<string, string>
  /** Parsed if it is JSON. A body that is nested too deep is kept as text, a long one as truncated text. */
  body: unknown
  /** ID of the endpoint; undefined if there is none. */
  endpoint?: string
  /** ID of the key that authenticated. */
  keyId?: string
  /** Status of the response; undefined until it is sent, and if the connection was cut before. */
  status?: number
  /** The effect of the fault that applied to the request: its `then`. */
  fault?: unknown
}

/** The last requests, oldest first. */
export interface Journal {
  add(request: Omit<RecordedRequest, 'number'>): RecordedRequest
  list(): readonly RecordedRequest[]
  clear(): void
}

const MOST_REQUESTS = 1000
const MOST_CHARACTERS = 65_536

/** Makes an empty journal. It is not kept in the state file. */
export function makeJournal(): Journal {
  let requests: RecordedRequest[] = []
  let count = 0
  return {
    add(request) {
      count += 1
      const recorded = { number: count, ...request }
      requests = [...requests.slice(1 - MOST_REQUESTS), recorded]
      return recorded
    },
    list: () => structuredClone(requests),
    clear() {
      requests = []
      count = 0
    },
  }
}

/** A body as it is recorded. */
export function recordedBody(text: string): unknown {
  // A slice of a text keeps all of it in memory, so its bytes are copied.
  if (text.length > MOST_CHARACTERS)
    return `${Buffer.from(text.slice(0, MOST_CHARACTERS)).toString()}…`
  return parsedBody(text)
}

/** A body as a value: parsed if it is JSON that is not nested too deep, else the text. */
export function parsedBody(text: string): unknown {
  if (text === '') return undefined
  if (isTooDeep(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const SHOWN_CHARACTERS = 6

/** Headers as they are recorded. */
export function recordedHeaders(headers: {
  readonly [name: string]: string | string[] | undefined
}): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]): [string, string] => {
    const text = Array.isArray(value) ? value.join(', ') : (value ?? '')
    return [name, SECRET.test(name) ? mask(text) : text]
  })
  return Object.fromEntries(entries)
}

/** A query as it is recorded. */
export function recordedQuery(query: URLSearchParams): Record<string, string | string[]> {
  return queryFields(query, (name, value) => (SECRET.test(name) ? mask(value) : value))
}

/** A query by name; a name that occurs more than once has a list. */
export function queryFields(
  query: URLSearchParams,
  show = (_: string, value: string) => value,
): Record<string, string | string[]> {
  const names = [...new Set(query.keys())]
  return Object.fromEntries(
    names.map((name) => {
      const [first = '', ...others] = query.getAll(name).map((value) => show(name, value))
      return [name, others.length > 0 ? [first, ...others] : first]
    }),
  )
}

// A client may send the key in the wrong place, or without "Bearer".
const SECRET = /(?:authorization|cookie|token|secret|password|(?:api|access|auth)[-_]?key)$/i

function mask(text: string) {
  const [, scheme = '', value = ''] = /^(\S+ +)?(.*)$/s.exec(text) ?? []
  const end = value.slice(-SHOWN_CHARACTERS)
  return scheme + (end.length < value.length ? `…${end}` : end)
}
