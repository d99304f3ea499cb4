import { listEndpoints } from '../api/endpoints/index.ts'
import { authenticate } from './auth.ts'
import { handlers } from './handlers/index.ts'
import { samplesOf } from './samples.ts'
import { makeWorld } from './start.ts'
import { parseSeed } from './state/seed.ts'

// After the days of the examples: analytics has no figures of today.
const NOW = Date.UTC(2026, 5, 15)

/** What a new emulator answers to the example of each endpoint, by ID: for the OpenAPI document. */
export function exampleResponses(): ReadonlyMap<string, unknown> {
  return new Map(
    listEndpoints().map(({ id, example }) => {
      const world = makeWorld(parseSeed({}), () => NOW)
      const { state } = world
      const caller = authenticate(state, `Bearer ${samplesOf(world).apiKey}`, NOW)
      const reply = handlers.get(id)?.run(example, { world, state, caller, now: NOW })
      return [id, JSON.parse(JSON.stringify(reply?.body ?? {}))]
    }),
  )
}
