import type { Json } from './json-schema.ts'

/** Plain shapes, and what core/shape.ts calls them. */
const plain: { [shape: string]: string } = {
  '{"type":"string"}': 'text',
  '{"type":"string","minLength":1}': 'someText',
  '{"type":"number"}': 'number',
  '{"type":"integer"}': 'integer',
  '{"type":"boolean"}': 'boolean',
}

/** Any data as code; what it takes from core/shape.ts is added to `words`. */
export function printCode(value: unknown, words: Set<string>): string {
  if (Array.isArray(value)) return `[${value.map((item) => printCode(item, words)).join(', ')}]`
  if (typeof value === 'object' && value !== null) return printObject(value as Json, words)
  return JSON.stringify(value)
}

function printObject(value: Json, words: Set<string>): string {
  // The name of a constant.
  if (typeof value.$ref === 'string') return value.$ref
  const [word, ...given] = inWords(value)
  if (word) words.add(word)
  if (word && given.length === 0) return word
  if (word) return `${word}(${given.map((one) => printCode(one, words)).join(', ')})`
  const fields = Object.entries(value).map(
    ([key, field]) => `${/^[a-z]\w*$/i.test(key) ? key : `'${key}'`}: ${printCode(field, words)}`,
  )
  return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}'
}

/** A shape as a word of core/shape.ts and what it is given. */
function inWords(shape: Json): [word?: string, ...given: unknown[]] {
  const name = plain[JSON.stringify(shape)]
  if (name) return [name]
  const { type, properties, required, items, additionalProperties, ...rest } = shape
  if (Object.keys(rest).length > 0) return []
  if (type === 'array' && items) return ['list', items]
  if (type !== 'object' || !properties || typeof additionalProperties === 'object') return []
  const word = additionalProperties === false ? 'closed' : 'open'
  return required ? [word, properties, required] : [word, properties]
}
