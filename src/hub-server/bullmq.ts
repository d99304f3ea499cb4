import { createRequire } from 'node:module'
import type * as Bullmq from 'bullmq'
import type * as Ioredis from 'ioredis'
import { HookbellError } from '../errors.ts'
import { connect, type Endpoint, endpointOf, type HubServer } from '../hub/connection.ts'
import { isFromReplica } from '../hub/resp.ts'

// Both are CommonJS. Where a module imports such a package, Node.js reads each of its files twice to learn their exports,
// which takes as long as running them.
const load = createRequire(import.meta.url)

/** Loads BullMQ, which is not installed with hookbell: only a hub needs it. @throws HookbellError E_UNAVAILABLE */
export function loadBullmq(): typeof Bullmq {
  try {
    load('ioredis')
    return load('bullmq')
  } catch (cause) {
    throw new HookbellError(
      'E_UNAVAILABLE',
      'hub: the packages bullmq and ioredis are not installed',
      {
        hint: 'Install them beside hookbell: npm install -g bullmq@^6.3.3 ioredis@^5',
        cause,
      },
    )
  }
}

/** Must exceed the 5 s (`drainDelay`) that a worker waits for a job, or each wait would end the connection. */
const SOCKET_MS = 15_000
/** After this long, a connection that does not close is cut off. */
const CLOSING_MS = 2000

/** After this long, a lost connection is opened again at the latest. */
const LONGEST_WAIT_MS = 2000

/** Opens one connection for all queues; BullMQ adds a blocking one per queue. `close` ends it, and theirs once they break. */
export function openShared(server: HubServer, onProblem: (error: unknown) => void) {
  const { AbstractConnector, Redis } = load('ioredis') as typeof Ioredis
  let endpoint = endpointOf(server)
  let isClosed = false
  const { host, port, tls } = endpoint
  // ioredis itself would pass on only the host and the port.
  class Connector extends AbstractConnector {
    constructor() {
      super(CLOSING_MS)
    }
    async connect() {
      endpoint = renewed(endpoint, server)
      this.stream = connect(endpoint)
      return this.stream
    }
  }
  const { username } = new URL(server.url)
  const { password } = server
  const shared = new Redis({
    ...{ host, port, Connector, ...(tls && { tls }) },
    ...(username && { username: decodeURIComponent(username) }),
    ...(password !== undefined && { password }),
    maxRetriesPerRequest: null,
    socketTimeout: SOCKET_MS,
    disableClientInfo: true,
    reconnectOnError: isFromReplica,
    // BullMQ may leave a connection behind that was being opened when its worker ended.
    retryStrategy: (times) => (isClosed ? null : Math.min(times * 50, LONGEST_WAIT_MS)),
  })
  shared.on('error', onProblem)
  const close = () => {
    isClosed = true
    shared.disconnect()
  }
  return { shared, close }
}

/** Reads the CA file again, because it may have changed. An error here would end the connection for good. */
function renewed(before: Endpoint, server: HubServer): Endpoint {
  try {
    return endpointOf(server)
  } catch {
    return before
  }
}
