import { everything, listEndpoints } from '../api/endpoints/index.ts'
import { didYouMean } from '../text/suggest.ts'
import { EmulatorError } from './errors.ts'
import type { Reply } from './reply.ts'

/** A request for an endpoint, as a handler of a test gets it. */
export interface EndpointRequest {
  method: string
  path: string
  /** Values in the path, by name. */
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string | string[]>>
  /** Parsed if it is JSON. */
  body: unknown
}

/** Answers a request in place of the emulator, or returns nothing to let the emulator answer it. */
export type OwnHandler = (
  request: EndpointRequest,
) => OwnReply | undefined | Promise<OwnReply | undefined>

/** A response: 200 unless it says otherwise. */
export type OwnReply = Partial<Reply>

export type OwnHandlers = ReturnType<typeof makeOwnHandlers>

/** The handlers that a test has set, by endpoint ID. */
export function makeOwnHandlers() {
  const handlers = new Map<string, OwnHandler>()
  const ids = listEndpoints(everything).map(({ id }) => id)
  return {
    /** Sets the handler of an endpoint, and returns a function that removes it. */
    on(endpoint: string, handler: OwnHandler) {
      if (!ids.includes(endpoint))
        throw new EmulatorError(`on: no endpoint "${endpoint}"`, {
          hint: didYouMean(endpoint, ids),
        })
      handlers.set(endpoint, handler)
      return () => {
        if (handlers.get(endpoint) === handler) handlers.delete(endpoint)
      }
    },
    clear: () => handlers.clear(),
    /** What the handler of an endpoint answers, if there is one. */
    async ask(endpoint = '', makeRequest: () => EndpointRequest): Promise<Reply | undefined> {
      const handler = handlers.get(endpoint)
      const own = await handler?.(makeRequest())
      return own && { status: 200, ...own }
    },
  }
}
