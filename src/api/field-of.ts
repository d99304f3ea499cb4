/**
 * Reads a field that the types do not declare: one that this version does not know, or one that is named after a
 * company. Undefined if the value does not have it.
 *
 * @example
 * fieldOf(message, 'openaiMessageId')
 */
export function fieldOf(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}
