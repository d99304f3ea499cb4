/**
 * A field that the types do not name: one that this version does not know, or one that carries the name of a
 * company. Undefined if there is none.
 *
 * @example
 * fieldOf(message, 'openaiMessageId')
 */
export function fieldOf(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}
