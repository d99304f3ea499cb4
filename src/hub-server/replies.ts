import type { RedisConnection } from '../hub/connection.ts'
import type { Reply } from '../hub/resp.ts'

/** The texts of a list; empty if the reply is not a list. */
export function textsIn(reply: Reply | undefined): string[] {
  return Array.isArray(reply) ? reply.map(String) : []
}

/** The fields of a hash, as HGETALL lists them: each name before its value. */
export function fieldsIn(reply: Reply): [name: string, value: string][] {
  const texts = textsIn(reply)
  return texts.flatMap((name, at) => (at % 2 === 0 ? [[name, texts[at + 1] ?? '']] : []))
}

/** The facts about the server that INFO reports, by name. */
export async function readInfo(
  redis: RedisConnection,
  ...sections: readonly string[]
): Promise<ReadonlyMap<string, string>> {
  const lines = String(await redis.call('INFO', ...sections)).matchAll(/^(\w+):(.*?)\r?$/gm)
  return new Map(Array.from(lines, ([, name = '', value = '']) => [name, value]))
}
