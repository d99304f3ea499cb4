import { afterAll, beforeAll, beforeEach, vi } from 'vitest'
import {
  type ClientError,
  type ClientOptions,
  createClient,
  isClientError,
} from '../../src/api/index.ts'
import {
  completeOperation,
  type Operation,
  type WrittenOperation,
} from '../../src/api/operation.ts'
import { operations as areas } from '../../src/api/operations.ts'
import {
  type FaultServer,
  type Script,
  type Step,
  startFaultServer,
} from '../support/fault-server.ts'

export const transports = ['undici', 'https', 'fetch'] as const
/** The transports that open connections themselves: they support proxies and detect the connect phase. */
export const connecting = ['undici', 'https'] as const
export type TransportName = (typeof transports)[number]

export const apiKey = 'fk-0123456789abcdef'

/** Starts one server per block, creates clients for it, and makes the pauses between attempts 0 ms. */
export function useFaultServer(transport: TransportName) {
  const used: { server?: FaultServer; clients: ReturnType<typeof createClient>[] } = { clients: [] }

  beforeAll(async () => {
    used.server = await startFaultServer()
    // The first request loads undici, which may take longer than the time limits of the tests.
    await makeClient()
      .organization.limits.getGlobal({})
      .catch(() => undefined)
    await closeClients()
  })
  beforeEach(() => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    return async () => {
      vi.restoreAllMocks()
      await closeClients()
      await server().settle()
    }
  })
  afterAll(() => server().close())

  async function closeClients() {
    await Promise.all(used.clients.splice(0).map((client) => client.close()))
  }

  function server(): FaultServer {
    if (!used.server) throw new Error('the server is not started')
    return used.server
  }

  function makeClient(options: ClientOptions = {}) {
    const { url } = server()
    const client = createClient({
      apiKey,
      baseUrl: url,
      appUrl: url,
      transport,
      env: {},
      ...options,
    })
    used.clients.push(client)
    return client
  }

  return {
    makeClient,
    play(script: Script) {
      server().play(script)
    },
    settle: () => server().settle(),
    get requests() {
      return server().requests
    },
    get connections() {
      return server().connections
    },
    get url() {
      return server().url
    },
  }
}

/** The error that a call rejects with. */
export async function errorOf(call: PromiseLike<unknown>): Promise<ClientError> {
  const error = await call.then(
    (value) => new Error(`resolved with ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  )
  if (!isClientError(error)) throw error
  return error
}

export const json = (value: unknown) => JSON.stringify(value)

/** Every fault after the connection, and the phase in which a time limit detects it. */
export const stuck: [NonNullable<Step['fault']>, 'headers' | 'body'][] = [
  ['silent', 'headers'],
  ['header-drip', 'headers'],
  ['stall', 'body'],
  ['drip', 'body'],
  ['endless', 'body'],
]

/** The operation with this endpoint ID. */
export function operationOf(id: string): Operation {
  let node: unknown = areas
  for (const name of id.split('.')) node = Reflect.get(Object(node), name)
  return completeOperation(id, node as WrittenOperation)
}
