export type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null'

/**
 * What a value must look like: the part of JSON Schema 2020-12 that the table of endpoints needs.
 * The client checks with these, not with zod, which alone is larger than all of the client.
 */
export interface Shape {
  /** `integer` means one that JSON carries exactly: at most 2^53 - 1 from zero. */
  readonly type?: TypeName | readonly TypeName[]
  readonly enum?: readonly unknown[]
  readonly not?: { readonly enum: readonly unknown[] }
  /** Lengths are in UTF-16 code units, as in JavaScript. */
  readonly minLength?: number
  readonly maxLength?: number
  /** `date` is checked; other formats only tell what the text means. */
  readonly format?: string
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly items?: Shape
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  /** Of names that are not in `properties`: all are refused, or all must have this shape. */
  readonly additionalProperties?: false | Shape
  readonly anyOf?: readonly Shape[]
  /** Number fields that another one limits. */
  readonly 'x-at-most'?: Readonly<Record<string, string>>
}

const plain: Readonly<Record<string, Shape>> = {
  '*': {},
  a: { type: 'array' },
  b: { type: 'boolean' },
  d: { type: 'string', format: 'date' },
  i: { type: 'integer' },
  n: { type: 'number' },
  o: { type: 'object' },
  s: { type: 'string' },
  S: { type: 'string', minLength: 1 },
}

/**
 * A shape in a short form, since the shapes are a fifth of the client. `{name:s,age?:n}` is an object that may have
 * more fields, `!{…}` one that may not, `[s]` a list, `<n>` an object with numbers under any names, `s0` a text or
 * null. What has no short form stands in `${…}`.
 *
 * @example
 * shape`{messages:[${Message}],pagination:{hasMore:b,nextCursor?:s0}}`
 */
export function shape(texts: TemplateStringsArray, ...parts: readonly Shape[]): Shape {
  const tokens = texts.join('$').match(/\w+|\W/g) ?? []
  let at = 0
  let part = 0
  return read()

  function read(): Shape {
    const token = tokens[at++] ?? ''
    if (token === '$') return parts[part++] as Shape
    if (token === '!') return { ...read(), additionalProperties: false }
    if (token === '[') return { type: 'array', items: readTo() }
    if (token === '<') return { type: 'object', additionalProperties: readTo() }
    if (token === '{') return readFields()
    const found = plain[token.replace('0', '')] as Shape
    return token.endsWith('0') ? { ...found, type: [found.type as TypeName, 'null'] } : found
  }

  /** A shape and the bracket after it. */
  function readTo(): Shape {
    const found = read()
    at += 1
    return found
  }

  function readFields(): Shape {
    const properties: Record<string, Shape> = {}
    const required: string[] = []
    while (tokens[at] !== '}') {
      const name = tokens[at++] as string
      if (name === ',') continue
      if (tokens[at++] === '?') at += 1
      else required.push(name)
      properties[name] = read()
    }
    at += 1
    return { type: 'object', properties, required }
  }
}
