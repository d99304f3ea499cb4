import type { RedisConnection } from '../hub/connection.ts'

/** The fields of a hash, as HGETALL lists them: each name before its value. */
export function fieldsIn(texts: readonly string[]): [name: string, value: string][] {
  return texts.flatMap((name, at) => (at % 2 === 0 ? [[name, texts[at + 1] ?? '']] : []))
}

/** The facts about the server that INFO reports, by name. */
export async function readInfo(
  redis: RedisConnection,
  ...sections: readonly string[]
): Promise<ReadonlyMap<string, string>> {
  const lines = ((await redis.text('INFO', ...sections)) ?? '').matchAll(/^(\w+):(.*?)\r?$/gm)
  return new Map(Array.from(lines, ([, name = '', value = '']) => [name, value]))
}
