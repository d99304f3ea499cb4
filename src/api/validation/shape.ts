import { isRecord } from '../record.ts'

/**
 * The expected shape of a value: the part of JSON Schema that the table of endpoints needs. The client validates
 * with shapes instead of zod, which alone is larger than the whole client.
 */
export interface Shape {
  /** Name of the type in error messages, and the check for it. */
  readonly name?: string
  is?(value: unknown): boolean
  readonly isNullable?: boolean
  readonly enum?: readonly string[]
  /** Minimum of a number, of the length of a text in characters, or of the entries of an array. */
  readonly least?: number | undefined
  /** Maximum of the same, or the name of a number field beside this one that holds the maximum. */
  readonly most?: number | string | undefined
  readonly items?: Shape
  readonly fields?: ReadonlyMap<string, Shape>
  readonly required?: ReadonlySet<string>
  /** Fields that the client adds, under neutral names. */
  readonly added?: readonly string[]
  /** For fields that are not in `fields`: `false` refuses them, a shape must match all of them. */
  readonly others?: false | Shape
  /** The last one is for values that name none of the others. */
  readonly anyOf?: readonly Shape[]
}

/** The types by letter. `i` is an integer that JSON carries exactly: at most 2^53 - 1 from zero. */
const plain: Readonly<Record<string, Shape>> = {
  '*': {},
  a: { name: 'an array', is: Array.isArray },
  b: { name: 'true or false', is: (value) => typeof value === 'boolean' },
  d: { name: 'a day, YYYY-MM-DD', is: isDate },
  e: { name: 'an e-mail address', is: isEmail },
  i: { name: 'a whole number', is: Number.isSafeInteger },
  n: { name: 'a number', is: Number.isFinite },
  o: { name: 'an object', is: isRecord },
  s: { name: 'a string', is: isText },
  u: { name: 'a UUID', is: isUuid },
}

const known = new Map<string, Shape>()

/**
 * Parses a short form, used since the shapes are a fifth of the client. `{name,title?:s,age?:n}` is an object with
 * two texts and a number that may have more fields, `!{…}` one that may not, `[s]` a list, `<n>` an object with numbers
 * under any names, `s0` a text or null, `(a|b)` one of these words, `{…}|{…}` one of these shapes, `n(1-9)` a number
 * from 1 to 9, `s(1-)` a text that is not empty, `name~:s` a field that the client adds. Results are cached.
 */
export function shape(text: string): Shape {
  const found = known.get(text) ?? parse(text)
  known.set(text, found)
  return found
}

function parse(text: string): Shape {
  const tokens = text.match(/\w+|\W/g) ?? []
  let at = 0
  const next = () => tokens[at++] ?? ''
  return read()

  /** Skips a token if it is the next one. */
  function skip(token: string): boolean {
    const isNext = tokens[at] === token
    if (isNext) at += 1
    return isNext
  }

  function read(): Shape {
    const anyOf = [readOne()]
    while (skip('|')) anyOf.push(readOne())
    return anyOf[1] ? { anyOf } : (anyOf[0] as Shape)
  }

  function readOne(): Shape {
    const found = readBare(next())
    if (!skip('(')) return found
    const [least, most = ''] = readWords()
    return { ...found, least: Number(least), most: Number(most) || most || undefined }
  }

  function readBare(token: string): Shape {
    if (token === '!') return { ...readOne(), others: false }
    if (token === '[') return { ...plain.a, items: readTo() }
    if (token === '<') return { ...plain.o, others: readTo() }
    if (token === '{') return readFields()
    if (token === '(') return { ...plain.s, enum: readWords() }
    const [letter = '', isNullable] = token
    return isNullable ? { ...plain[letter], isNullable: true } : (plain[letter] as Shape)
  }

  /** Reads a shape and skips the bracket after it. */
  function readTo(): Shape {
    const found = read()
    at += 1
    return found
  }

  function readWords(): string[] {
    const words: string[] = []
    for (let token = next(); token !== ')'; token = next()) if (/\w/.test(token)) words.push(token)
    return words
  }

  /** A name without a shape of its own has that of the next name. */
  function readFields(): Shape {
    const fields = new Map<string, Shape>()
    const required = new Set<string>()
    const added: string[] = []
    let names: string[] = []
    for (let name = next(); name !== '}'; name = next()) {
      if (name === ',') continue
      names.push(name)
      if (skip('~')) added.push(name)
      else if (!skip('?')) required.add(name)
      if (!skip(':')) continue
      const found = read()
      for (const one of names) fields.set(one, found)
      names = []
    }
    return { ...plain.o, fields, required, added }
  }
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** Whether a value is a day that exists, as YYYY-MM-DD. */
function isDate(value: unknown): boolean {
  if (!isText(value) || !/^\d{4}-\d\d-\d\d$/.test(value)) return false
  const time = Date.parse(value)
  // Some engines parse 30 February as 2 March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}

// The service decides which addresses there are, also of other alphabets. This rejects names, lists and the like.
const EMAIL = /^[^\s@,;<>]+@[^\s@,;<>]+$/
const LONGEST_EMAIL = 320

/** An e-mail address with a domain. */
export function isEmail(value: unknown): boolean {
  return isText(value) && value.length <= LONGEST_EMAIL && EMAIL.test(value)
}

/** 32 hexadecimal digits in five groups, of any version. */
export function isUuid(value: unknown): boolean {
  return isText(value) && /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i.test(value)
}
