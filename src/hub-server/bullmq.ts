import type * as Bullmq from 'bullmq'
import type { Redis, RedisOptions } from 'ioredis'
import { HookbellError } from '../errors.ts'
import { endpointOf } from '../hub/connection.ts'
import { isFromReplica } from '../hub/resp.ts'
import type { HubConnection } from '../hub/settings.ts'

/** Loads BullMQ, which is not installed with hookbell: only a hub needs it. @throws HookbellError E_UNAVAILABLE */
export async function loadBullmq(): Promise<typeof Bullmq> {
  try {
    await import('ioredis')
    return await import('bullmq')
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

/** Opens one connection for all queues; BullMQ adds a blocking one per queue. The caller ends it with `disconnect`. */
export async function openShared(
  connection: HubConnection,
  onProblem: (error: unknown) => void,
): Promise<Redis> {
  const { Redis } = await import('ioredis')
  const shared = new Redis(redisOptions(connection) as RedisOptions)
  shared.on('error', onProblem)
  return shared
}

/** Must exceed the 5 s (`drainDelay`) that a worker waits for a job, or each wait would end the connection. */
const SOCKET_MS = 15_000

/** The same settings, for ioredis, which BullMQ uses. */
export function redisOptions(connection: HubConnection): Bullmq.RedisOptions {
  const { username } = new URL(connection.url)
  const { password } = connection
  return {
    ...endpointOf(connection),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password !== undefined && { password }),
    maxRetriesPerRequest: null,
    socketTimeout: SOCKET_MS,
    disableClientInfo: true,
    reconnectOnError: isFromReplica,
  }
}
