import { aclLines } from '../hub/acl.ts'
import type { RedisConnection } from '../hub/connection.ts'
import { SCRIPTED, STARTS } from '../hub/keys.ts'
import { NOTE_START } from './scripts.ts'

/**
 * Counts the starts of hubs, once in a script and once by a plain command. If Redis has no right to run the scripts in
 * its own append-only file, it has lost the first count after a restart, and with it what was in the queues.
 * @returns warnings; empty if all is well
 */
export async function checkRestart(redis: RedisConnection): Promise<string[]> {
  const [starts, scripted] = [await readNumber(STARTS, redis), await readNumber(SCRIPTED, redis)]
  await noteStart(`${starts + 1}`, redis)
  if (scripted >= starts) return []
  return [
    `Redis forgot at its last start what scripts had written, which is what was waiting here: its user "default" needs the rights to load its own file. Put this line into the file of users: ${aclLines[0]}`,
  ]
}

/** Ignores errors, because a hub has to start with a full Redis too. */
async function noteStart(count: string, redis: RedisConnection) {
  try {
    // In this order, so that a hub that is killed in between does not look like a loss in Redis.
    await redis.count('EVAL', NOTE_START, '2', SCRIPTED, `${SCRIPTED}:2`, count)
    await redis.done('SET', STARTS, count)
  } catch {}
}

async function readNumber(key: string, redis: RedisConnection): Promise<number> {
  return Number((await redis.text('GET', key)) ?? 0)
}
