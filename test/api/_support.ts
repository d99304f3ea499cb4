import { setImmediate as nextTurn } from 'node:timers/promises'
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
import { operations as areas } from '../../src/api/operations/index.ts'
import {
  type FaultServer,
  type Script,
  type Step,
  startFaultServer,
} from '../support/fault-server.ts'

export const transports = ['undici', 'https', 'fetch'] as const
/** Those that make their connections themselves: they know proxies, and when a connection is there. */
export const connecting = ['undici', 'https'] as const
export type TransportName = (typeof transports)[number]

export const apiKey = 'fk-0123456789abcdef'

/** Lets the server of this process read what was on its way to it, so that no later test sees it. */
async function readWhatWasSent() {
  for (let turn = 0; turn < 10; turn += 1) await nextTurn()
}

/** A server for all tests of a block, a client of it, and pauses between attempts of 0 ms. */
export function useFaultServer(transport: TransportName) {
  const used: { server?: FaultServer; clients: ReturnType<typeof createClient>[] } = { clients: [] }

  beforeAll(async () => {
    used.server = await startFaultServer()
    // The first request loads undici, which may take longer than the limits in the tests.
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
      await readWhatWasSent()
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

/** Every fault after the connection, and the phase in which a limit finds it. */
export const stuck: [NonNullable<Step['fault']>, 'headers' | 'body'][] = [
  ['silent', 'headers'],
  ['header-drip', 'headers'],
  ['stall', 'body'],
  ['drip', 'body'],
  ['endless', 'body'],
]

/** The operation at the place that the ID of an endpoint names. */
export function operationOf(id: string): Operation {
  let node: unknown = areas
  for (const name of id.split('.')) node = Reflect.get(Object(node), name)
  return completeOperation(id, node as WrittenOperation)
}
