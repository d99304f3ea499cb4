import { readFileSync } from 'node:fs'
import type * as Bullmq from 'bullmq'
import type { Redis, RedisOptions } from 'ioredis'
import { HookbellError } from '../errors.ts'
import { expandHome } from '../fs/home.ts'
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
        hint: 'Install them beside hookbell: npm install -g hookbell bullmq@^6.3.3 ioredis@^5',
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
export function redisOptions({ url, password, ca }: HubConnection): Bullmq.RedisOptions {
  const { protocol, hostname, port, username } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const file = ca === undefined ? undefined : expandHome(ca)
  const isAddress = /^[\d.]+$|:/.test(host)
  return {
    host,
    port: Number(port || 6379),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password !== undefined && { password }),
    maxRetriesPerRequest: null,
    socketTimeout: SOCKET_MS,
    disableClientInfo: true,
    ...(protocol === 'rediss:' && {
      tls: {
        ...(!isAddress && { servername: host }),
        ...(file !== undefined && { ca: readFileSync(file) }),
        minVersion: 'TLSv1.2',
      },
    }),
  }
}
