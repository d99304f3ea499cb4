import { completeConfig, configSchema } from '../../src/config/schema/schema.ts'
import type { EnrichedEvent } from '../../src/context/enrich.ts'
import { Memory } from '../../src/policy/memory.ts'
import type { Mute } from '../../src/policy/mutes.ts'
import type { Policy } from '../../src/policy/types.ts'
import { Replay } from '../../src/simulate/replay.ts'

export type { Ping } from '../../src/simulate/replay.ts'

export interface Options {
  config?: object
  mutes?: (now: number) => readonly Mute[]
  policies?: readonly Policy[]
  memory?: Memory
}

/** Applies the policies to events in order, each at its own time, and sends held messages when they are due. */
export function runTimeline(events: readonly EnrichedEvent[], options: Options = {}) {
  const { mutes = () => [], policies, memory = new Memory({}, policies) } = options
  const config = completeConfig(configSchema.parse(options.config ?? {}))
  const replay = new Replay(config, { memory, mutes, host: 'workstation' })
  for (const found of events) replay.add({ found })
  replay.end()
  return replay
}
