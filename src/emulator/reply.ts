import { STATUS_CODES } from 'node:http'

/** A response before it is written to the socket. */
export interface Reply {
  status: number
  headers?: Readonly<Record<string, string>>
  /** Text is sent unchanged, anything else as JSON. If left out, the response is empty. */
  body?: unknown
}

/** A request that is refused. Thrown anywhere below the server, which turns it into an error body. */
export class Problem extends Error {
  override name = 'Problem'
  readonly status: number
  readonly metadata: Readonly<Record<string, unknown>> | undefined
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(
    status: number,
    detail: string,
    more: { metadata?: Record<string, unknown>; headers?: Record<string, string> } = {},
  ) {
    super(detail)
    this.status = status
    this.metadata = more.metadata
    this.headers = more.headers
  }
}

export const ok = <Body>(body: Body) => ({ status: 200, body })

/** Makes an error response. Analytics errors carry the request ID instead of metadata. */
export function problemReply(problem: Problem, path: string, requestId: string): Reply {
  const { status, message: detail, metadata, headers } = problem
  const title = STATUS_CODES[status] ?? 'Unknown'
  const isAnalytics = path.startsWith('/api/v1/analytics')
  const more = isAnalytics ? { requestId } : metadata ? { metadata } : {}
  return { status, headers, body: { detail, status, title, ...more } }
}
