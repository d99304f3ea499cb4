import { settle } from './agent.ts'
import { authenticate } from './auth.ts'
import { handlers } from './handlers/index.ts'
import { readInput } from './input.ts'
import { Problem, problemReply, type Reply } from './reply.ts'
import type { Router, Served } from './router.ts'
import type { World } from './world.ts'

/** A request whose body has been read. */
export interface Exchange {
  host: Served
  method: string
  path: string
  query: URLSearchParams
  authorization: string | undefined
  body: string
  requestId: string
  /** Called when the caller is known. */
  onCaller?: (keyId: string) => void
}

/** Answers a request: finds the endpoint, the caller and the input, and lets the handler act. */
export function handleRequest(world: World, router: Router, exchange: Exchange): Reply {
  try {
    return act(world, router, exchange)
  } catch (error) {
    if (error instanceof Problem) return problemReply(error, exchange.path, exchange.requestId)
    throw error
  }
}

function act(world: World, router: Router, exchange: Exchange): Reply {
  const { endpoint, params } = router.match(exchange.host, exchange.method, exchange.path)
  const now = world.clock.now()
  // First the agent catches up with everything that it would have done until now.
  settle(world, now)
  const caller = authenticate(world.state, exchange.authorization, now)
  exchange.onCaller?.(caller.key.id)
  const input = readInput(endpoint, { params, query: exchange.query, body: exchange.body })
  const handler = handlers.get(endpoint.id)
  if (!handler) throw new Problem(501, `The emulator does not have ${endpoint.id}`)
  return handler.run(input, { world, state: world.state, caller, now })
}
