import type { Json } from './json-schema.ts'

/** Plain shapes, and their short forms in validation/shape.ts. */
const plain: { [shape: string]: string } = {
  '{}': '*',
  '{"type":"array"}': 'a',
  '{"type":"boolean"}': 'b',
  '{"type":"string","format":"date"}': 'd',
  '{"type":"integer"}': 'i',
  '{"type":"number"}': 'n',
  '{"type":"object"}': 'o',
  '{"type":"string"}': 's',
  '{"type":"string","minLength":1}': 'S',
}

/** A shape as an expression. */
export function printShape(shape: Json): string {
  // The name of a constant.
  if (typeof shape.$ref === 'string') return shape.$ref
  const text = shortForm(shape)
  return text === undefined ? printData(shape, printShapes) : `shape\`${text}\``
}

/** Any data as code. */
export function printData(value: unknown, printField = printNested): string {
  if (Array.isArray(value)) return `[${value.map((one) => printData(one)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, field]) => {
    const name = /^[a-z]\w*$/i.test(key) ? key : `'${key}'`
    return `${name}: ${printField(key, field)}`
  })
  return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}'
}

function printNested(_: string, value: unknown): string {
  return printData(value)
}

/** The fields of a shape that are shapes themselves. */
function printShapes(key: string, value: unknown): string {
  if (key === 'anyOf') return `[${(value as Json[]).map(printShape).join(', ')}]`
  if (key === 'items' || (key === 'additionalProperties' && value !== false))
    return printShape(value as Json)
  if (key !== 'properties') return printData(value)
  return printData(value, (_, field) => printShape(field as Json))
}

/** Undefined if there is none. */
function shortForm(shape: Json): string | undefined {
  const name = plain[JSON.stringify(shape)]
  if (name) return name
  const { type, properties, required = [], items, additionalProperties, ...rest } = shape
  if (Object.keys(rest).length > 0) return undefined
  if (Array.isArray(type)) {
    const one = plain[JSON.stringify({ type: type[0] })]
    return one && type[1] === 'null' && !properties && !items ? `${one}0` : undefined
  }
  if (type === 'array' && items) return `[${inShort(items as Json)}]`
  if (type !== 'object') return undefined
  if (!properties)
    return additionalProperties ? `<${inShort(additionalProperties as Json)}>` : undefined
  if (typeof additionalProperties === 'object') return undefined
  const fields = Object.entries(properties as Json).map(([field, one]) => {
    const mark = (required as string[]).includes(field) ? '' : '?'
    return `${field}${mark}:${inShort(one as Json)}`
  })
  return `${additionalProperties === false ? '!' : ''}{${fields.join(',')}}`
}

/** What has no short form stands in braces. */
function inShort(shape: Json): string {
  const text = typeof shape.$ref === 'string' ? undefined : shortForm(shape)
  return text ?? `\${${printShape(shape)}}`
}
