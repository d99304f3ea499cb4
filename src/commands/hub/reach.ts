import { CurrentConfig } from '../../config/current.ts'
import { configDir, stateDir } from '../../config/paths.ts'
import { RedisConnection } from '../../hub/connection.ts'
import { explainFailure } from '../../hub/explain.ts'
import { NotRedisError, RedisError } from '../../hub/resp.ts'
import { whyUnsafe } from '../../hub/settings.ts'

/** Longer than a connection may take: if the first of several addresses does not answer, it takes seconds. */
const SILENCE_MS = 6000

/** Checks whether the hub of this machine can be reached: 'reachable', or why not. Hands no message over. */
export async function reachHub(): Promise<string> {
  const { config, hubProblem } = new CurrentConfig(configDir(), stateDir()).get()
  if (hubProblem !== undefined || !config.hub) return hubProblem ?? 'not set'
  const unsafe = whyUnsafe(config.hub)
  if (unsafe) return `url ${unsafe}`
  const redis = new RedisConnection(
    { ...config.hub, extraCaFile: config.extraCaFile },
    { silenceMs: SILENCE_MS },
  )
  try {
    const reply = await redis.text('PING')
    return reply === 'PONG' ? 'reachable' : explainFailure(new NotRedisError())
  } catch (error) {
    // A machine may only add entries in Redis, so PING may be forbidden; that refusal proves that Redis answers.
    if (error instanceof RedisError && error.code === 'NOPERM') return 'reachable'
    return explainFailure(error)
  } finally {
    redis.close()
  }
}
