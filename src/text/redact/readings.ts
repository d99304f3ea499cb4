/** Characters that are invisible on a screen but would hide a key from us, such as a zero-width space inside `ghp_`. */
const INVISIBLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g

/** The other invisible characters have a meaning elsewhere, as in the emoji of a family, but none between ASCII. */
const BETWEEN_ASCII = /(?<=[!-~])[\p{Default_Ignorable_Code_Point}\p{Format}]+(?=[!-~])/gu

/** In a reading none of them is needed. */
const HIDDEN = /(?![\t\n\r])[\p{Default_Ignorable_Code_Point}\p{Format}\p{Control}]/u

const NOT_ASCII = /[^\t\n\r -~]/

/** The text without invisible characters, as `redact` returns one that holds no secret. */
export function visible(text: string): string {
  if (!NOT_ASCII.test(text)) return text
  return text.replace(INVISIBLE, '').replace(BETWEEN_ASCII, '')
}

/** A way to write a character as other ones. */
interface Spelling {
  readonly pattern: RegExp
  /** What is meant; undefined if it is no such spelling. */
  readonly decode: (written: string) => string | undefined
}

/** More layers than anything has that was seen. A text with this many takes this many times as long to search. */
const MAX_LAYERS = 8

/** A text with one or more layers of its escapes resolved: `https:\/\/u:p%40ss@h` is read as `https://u:p%40ss@h`. */
export class Reading {
  readonly text: string
  /** Where each character starts and ends in the original. */
  readonly #starts: Uint32Array | undefined
  readonly #ends: Uint32Array | undefined

  constructor(text: string, starts?: Uint32Array, ends?: Uint32Array) {
    this.text = text
    this.#starts = starts
    this.#ends = ends
  }

  /** Where a part of this text stands in the original: an escape is part of it as a whole. */
  placeOf(start: number, end: number): [start: number, end: number] {
    return [this.#starts?.[start] ?? start, this.#ends?.[end - 1] ?? end]
  }

  /** The next reading, without one layer of one spelling; undefined if there is nothing to resolve. */
  next(): Reading | undefined {
    if (!SPELLED.test(this.text)) return undefined
    for (const spelling of spellings) {
      const read = this.#without(spelling)
      if (read) return read
    }
    return undefined
  }

  #without({ pattern, decode }: Spelling): Reading | undefined {
    const changes: { index: number; written: string; meant: string }[] = []
    for (const { 0: written, index } of matchesOf(pattern, this.text)) {
      const meant = decode(written)
      if (meant !== undefined) changes.push({ index, written, meant })
    }
    return changes.length > 0 ? this.#changed(changes) : undefined
  }

  #changed(changes: readonly { index: number; written: string; meant: string }[]): Reading {
    const starts = new Uint32Array(this.text.length)
    const ends = new Uint32Array(this.text.length)
    let read = ''
    let from = 0
    const copy = (to: number) => {
      for (let index = from; index < to; index += 1) {
        starts[read.length + index - from] = this.#starts?.[index] ?? index
        ends[read.length + index - from] = this.#ends?.[index] ?? index + 1
      }
      read += this.text.slice(from, to)
    }
    for (const { index, written, meant } of changes) {
      copy(index)
      from = index + written.length
      const [start, end] = this.placeOf(index, from)
      starts.fill(start, read.length, read.length + meant.length)
      ends.fill(end, read.length, read.length + meant.length)
      read += meant
    }
    copy(this.text.length)
    return new Reading(read, starts, ends)
  }
}

/**
 * A text in all the ways in which it may be meant, the original first. Where escapes are nested, each layer is a reading
 * of its own: only in the right one a delimiter that is escaped within a value does not end it.
 */
export function readingsOf(text: string): Reading[] {
  const readings: Reading[] = []
  let reading: Reading | undefined = new Reading(text)
  while (reading && readings.length <= MAX_LAYERS) {
    readings.push(reading)
    reading = reading.next()
  }
  return readings
}

/** The text with everything resolved. */
export function fullyRead(text: string): string {
  return readingsOf(text).at(-1)?.text ?? text
}

/** As `matchAll`, which compiles the pattern for each text. */
export function matchesOf(pattern: RegExp, text: string): RegExpExecArray[] {
  const matches: RegExpExecArray[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) matches.push(match)
  return matches
}

/** What every spelling has. Most texts have none of it. */
const SPELLED = /\\|&[#a-z]|%[\da-f]|\[\d|[\w+/-]{12}/i

/** Outermost first, as programs nest them: percent-encoding within HTML or JSON, and base64 in anything. */
const spellings: readonly Spelling[] = [
  {
    // JSON, JavaScript, PHP, shells, Markdown: `\/`, `\u002f`, `\x2f`, `\057`, `\_`. And the colours of a terminal.
    pattern:
      /\\(?:[nrt]|u[\da-f]{4}|u\{[\da-f]{1,6}\}|x[\da-f]{2}|[0-3][0-7]{2}|[!-$'-/:-@[-`{-~]|&(?!#?\w{1,10};)|%(?![\da-f]{2}))|\[\d[\d;]{0,20}m/gi,
    decode: fromBackslash,
  },
  { pattern: /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,14});/gi, decode: fromEntity },
  {
    pattern:
      /%(?:u[\da-f]{4}|[0-7][\da-f]|[cd][\da-f]%[89ab][\da-f]|e[\da-f](?:%[89ab][\da-f]){2}|f[0-7](?:%[89ab][\da-f]){3})/gi,
    decode: fromPercent,
  },
  {
    // Text in base64 begins with one of these letters.
    pattern:
      /(?<![\w+/-])(?=[AI-Za-f])(?:[\w+/-]{60,100}\r?\n[ \t]{0,20}){0,200}[\w+/-]{12,}={0,2}/g,
    decode: (written) => textIn(Buffer.from(written, 'base64')),
  },
  {
    pattern: /(?<![\da-z])(?:0x)?(?:[\da-f]{2}){10,}(?![\da-z])/gi,
    decode: (written) => textIn(Buffer.from(written.replace(/^0x/i, ''), 'hex')),
  },
]

function fromBackslash(written: string): string | undefined {
  const sign = written.charAt(1)
  if (written.startsWith('[')) return ''
  if (/[ux]/i.test(sign)) return character(Number.parseInt(written.replace(/\W|[ux]/gi, ''), 16))
  if (/\d/.test(sign)) return character(Number.parseInt(written.slice(1), 8))
  return { n: '\n', r: '\r', t: '\t' }[sign.toLowerCase()] ?? sign
}

/** Those that stand for ASCII, and for nothing visible. */
const entities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", sol: '/', bsol: '\\', colon: ':' },
  ...{ semi: ';', commat: '@', equals: '=', quest: '?', excl: '!', num: '#', dollar: '$' },
  ...{ percnt: '%', plus: '+', comma: ',', period: '.', ast: '*', lowbar: '_', grave: '`' },
  ...{ lpar: '(', rpar: ')', lsqb: '[', lbrack: '[', rsqb: ']', rbrack: ']', hat: '^' },
  ...{ lcub: '{', lbrace: '{', rcub: '}', rbrace: '}', verbar: '|', vert: '|' },
  ...{ nbsp: ' ', tab: '\t', newline: '\n', shy: '', zwj: '', zwnj: '', zerowidthspace: '' },
}

function fromEntity(written: string): string | undefined {
  const name = written.slice(1, -1).toLowerCase()
  if (name.startsWith('#x')) return character(Number.parseInt(name.slice(2), 16))
  return name.startsWith('#') ? character(Number(name.slice(1))) : entities[name]
}

function fromPercent(written: string): string | undefined {
  if (/u/i.test(written)) return character(Number.parseInt(written.slice(2), 16))
  try {
    return unlessHidden(decodeURIComponent(written))
  } catch {
    return undefined
  }
}

/** Most runs of such letters are words, paths, hashes or pictures. NUL separates user and password in SMTP. */
function textIn(bytes: Buffer): string | undefined {
  const text = bytes.toString()
  return /^[\0\t\n\r -~\u00a0-\ud7ff\ue000-\ufffc]{8,}\ufffd?$/.test(text) ? text : undefined
}

function character(code: number): string | undefined {
  return code <= 0x10ffff ? unlessHidden(String.fromCodePoint(code)) : undefined
}

function unlessHidden(letter: string): string {
  return HIDDEN.test(letter) ? '' : letter
}
