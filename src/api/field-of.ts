/**
 * Reads a field that the types do not declare: one that this version does not know, or one that is named after a
 * company. Undefined if the value does not have it, or is not an object.
 *
 * @example
 * fieldOf(message, 'openaiMessageId')
 * fieldOf(await client.wiki.get({ wikiRunId }), 'status')
 */
export function fieldOf(value: unknown, name: string): unknown {
  const record = Object(value)
  return Object.hasOwn(record, name) ? record[name] : undefined
}
