import {
  type Transport,
  TransportFailure,
  type TransportRequest,
  type TransportResponse,
} from '../transport.ts'

/** Why a closed client sends nothing. To try again would not help. */
export function closedError() {
  return Object.assign(new Error('the client is closed'), { code: 'ERR_CLOSED' })
}

type End = (reason: Error) => void

/**
 * A transport that keeps no connections. `exchange` says with `onEnd` how to end what it does: at the end of the
 * attempt, or when the transport is closed.
 */
export function closable(
  exchange: (request: TransportRequest, onEnd: (end: End) => void) => Promise<TransportResponse>,
): Required<Transport> {
  const open = new Set<End>()
  let isClosed = false
  return {
    async send(request) {
      if (isClosed) throw new TransportFailure(closedError(), false)
      let end: End = () => undefined
      try {
        return await exchange(request, (given) => {
          end = given
          open.add(end)
          request.onEnd(end)
        })
      } finally {
        open.delete(end)
      }
    },
    async close() {
      isClosed = true
      for (const end of open) end(closedError())
    },
  }
}
