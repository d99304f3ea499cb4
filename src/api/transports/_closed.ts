import {
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
} from '../transport.ts'

/** The error of a request to a closed client. A retry would not help. */
export function closedError() {
  return Object.assign(new Error('the client is closed'), { code: 'ERR_CLOSED' })
}

type End = (reason: Error) => void

/**
 * Makes a transport that keeps no connections. `exchange` passes `onEnd` a function that cancels the request; it is
 * called when the attempt is cut short, or the transport is closed.
 */
export function closable(
  exchange: (request: TransportRequest, onEnd: (end: End) => void) => Promise<TransportResponse>,
): Required<Transport> {
  const open = new Set<End>()
  let isClosed = false
  return {
    async send(request) {
      if (isClosed) throw new TransportFailure(closedError(), false)
      let end: End | undefined
      try {
        return await exchange(request, (given) => {
          end = given
          open.add(end)
          request.onEnd(end)
        })
      } finally {
        if (end) open.delete(end)
      }
    },
    async close() {
      isClosed = true
      for (const end of open) end(closedError())
    },
  }
}
