import { HookbellError } from '../errors.ts'
import type { RedisConnection } from '../hub/connection.ts'
import { explainFailure } from '../hub/explain.ts'
import { RedisError } from '../hub/resp.ts'
import { readInfo } from './replies.ts'

/**
 * Checks whether Redis keeps what is handed over, also when it is full or restarted.
 * @returns warnings about what may be lost; empty if all is well
 * @throws HookbellError E_UNAVAILABLE if Redis cannot be reached, or would evict messages
 */
export async function checkRedis(redis: RedisConnection): Promise<string[]> {
  const info = await readInfo(redis).catch(unreachable)
  const policy = info.get('maxmemory_policy')
  if (policy !== 'noeviction') {
    throw new HookbellError(
      'E_UNAVAILABLE',
      `hub: maxmemory-policy is ${policy || 'not known'}: a full Redis would throw messages away`,
      {
        hint: 'Set "maxmemory-policy noeviction" in its configuration: then it refuses new ones, which wait on their machines',
      },
    )
  }
  if (info.get('aof_enabled') !== '1')
    return [
      'appendonly is off: a restart of Redis loses what was handed over. Set "appendonly yes" and "appendfsync always"',
    ]
  const [, appendfsync] = await redis.texts('CONFIG', 'GET', 'appendfsync').catch(() => [])
  if (appendfsync === undefined)
    return [
      'appendfsync cannot be read with these rights. Make sure that it is "always": with "everysec" a power cut loses the last second. If its user has +config|get, the hub checks this itself',
    ]
  return appendfsync === 'always'
    ? []
    : [
        `appendfsync is ${appendfsync}: a power cut may lose the last second of what was handed over. Set "appendfsync always"`,
      ]
}

function unreachable(error: unknown): never {
  const isMachine = error instanceof RedisError && error.code === 'NOPERM'
  throw new HookbellError('E_UNAVAILABLE', `hub: no Redis to work with: ${explainFailure(error)}`, {
    hint: isMachine
      ? 'A machine may only hand messages over: run this on the hub'
      : 'Check "hub" in config.json: url, password and ca',
  })
}
