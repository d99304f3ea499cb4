import { isRecord } from '../record.ts'
import { isDate, isEmail, isText, isUuid } from './formats.ts'

/**
 * What a value must look like: the part of JSON Schema that the table of endpoints needs. The client checks with
 * these, not with zod, which alone is larger than all of the client.
 */
export interface Shape {
  /** What it is called, and whether a value is one. */
  readonly name?: string
  is?(value: unknown): boolean
  readonly isNullable?: boolean
  readonly enum?: readonly string[]
  /** Of a number itself, of a text its length in UTF-16 code units, of an array its entries. */
  readonly least?: number | undefined
  /** A word is the name of the number field beside this one that is its limit. */
  readonly most?: number | string | undefined
  readonly items?: Shape
  readonly fields?: ReadonlyMap<string, Shape>
  readonly required?: ReadonlySet<string>
  /** Fields that the client adds, under neutral names. */
  readonly added?: readonly string[]
  /** Of names that are not in `fields`: all are refused, or all must have this shape. */
  readonly others?: false | Shape
  readonly anyOf?: readonly Shape[]
}

/** `integer` means one that JSON carries exactly: at most 2^53 - 1 from zero. */
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
 * A shape in a short form, since the shapes are a fifth of the client. `{name,title?:s,age?:n}` is an object with two
 * texts and a number that may have more fields, `!{…}` one that may not, `[s]` a list, `<n>` an object with numbers
 * under any names, `s0` a text or null, `(a|b)` one of these words, `{…}|{…}` one of these shapes, `n(1-9)` a number
 * from 1 to 9, `s(1-)` a text that is not empty. `name~:s` is a field that the client adds. Each text is read once.
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

  /** Steps over a token if it is the next one. */
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

  /** A shape and the bracket after it. */
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
