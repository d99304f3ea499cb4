/** Characters that are invisible on a screen but would hide a key from us, such as a zero-width space inside `ghp_`. */
const INVISIBLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g

/** What a terminal obeys, such as a change of colour. Its last letter would hide the start of the key behind it. */
const TERMINAL_CODE = /(?:\u001b\[|\u009b)[0-9;:?<=>]*[ -/]*[@-~]/g

/** The other invisible characters have a meaning elsewhere, as in the emoji of a family, but none between ASCII. */
const BETWEEN_ASCII = /(?<=[!-~])[\p{Default_Ignorable_Code_Point}\p{Format}]+(?=[!-~])/gu

/** In a reading none of them is needed. */
const HIDDEN = /(?![\t\n\r])[\p{Default_Ignorable_Code_Point}\p{Format}\p{Control}]/u

const NOT_ASCII = /[^\t\n\r -~]/

/** The text without invisible characters, as `redact` returns one that holds no secret. */
export function visible(text: string): string {
  if (!NOT_ASCII.test(text)) return text
  return text.replace(TERMINAL_CODE, '').replace(INVISIBLE, '').replace(BETWEEN_ASCII, '')
}

/** A part of a text. */
export type Range = [start: number, end: number]

/** A text without some of its escapes: `https:\/\/u:p%40ss@h` is read as `https://u:p%40ss@h`. */
export class Reading {
  readonly text: string
  /** The text with one layer more; absent for the original. */
  readonly #before: Reading | undefined
  readonly #changes: readonly Change[]

  constructor(text: string, before?: Reading, changes: readonly Change[] = []) {
    this.text = text
    this.#before = before
    this.#changes = changes
  }

  /** Where a part of this text stands in the original: an escape is part of it as a whole. */
  placeOf(start: number, end: number): Range {
    if (!this.#before) return [start, end]
    return this.#before.placeOf(this.#sourceOf(start)[0], this.#sourceOf(end - 1)[1])
  }

  /** In how many layers of escapes a character was: within `"\"` a second quote does not close the first. */
  depthOf(at: number): number {
    if (!this.#before) return 0
    const [start, end] = this.#sourceOf(at)
    return this.#before.depthOf(start) + (end - start > 1 ? 1 : 0)
  }

  /** Without one layer of one of these spellings; undefined if there is none. */
  without(spellings: readonly Spelling[]): Reading | undefined {
    for (const { pattern, decode } of spellings) {
      const changes: Change[] = []
      let text = ''
      let from = 0
      for (const [start, end] of matchesOf(pattern, this.text)) {
        const meant = decode(this.text.slice(start, end))
        if (meant === undefined) continue
        text += this.text.slice(from, start)
        changes.push({ at: text.length, start, end })
        text += meant
        changes.push({ at: text.length, start: end, end })
        from = end
      }
      if (from > 0) return new Reading(text + this.text.slice(from), this, changes)
    }
    return undefined
  }

  /** What a character was in the text before. */
  #sourceOf(at: number): Range {
    let [low, high] = [0, this.#changes.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#changes[middle]?.at ?? 0) <= at) low = middle + 1
      else high = middle
    }
    const { at: from, start, end } = this.#changes[low - 1] ?? { at: 0, start: 0, end: 0 }
    return start < end ? [start, end] : [start + at - from, start + at - from + 1]
  }
}

/** From `at` on, a text has what was written from `start` to `end` in the text before, or the same as from `start` on. */
interface Change {
  readonly at: number
  readonly start: number
  readonly end: number
}

/** More layers than anything has that was seen. A text with this many takes this many times as long to search. */
const MAX_LAYERS = 8

/**
 * A text in all the ways in which it may be meant. Escapes as in JSON and HTML are always resolved, because quotes tell
 * what belongs together. In an address they do not: `p%40ss@h` and what it means are two readings.
 */
export function readingsOf(text: string): Reading[] {
  const original = new Reading(text)
  if (!SPELLED.test(text)) return [original]
  const readings = [withoutAll(escapes, original)]
  for (let reading = readings[0]; reading && readings.length <= MAX_LAYERS; ) {
    const next: Reading | undefined = reading.without(encodings)
    reading = next && withoutAll(escapes, next)
    if (reading) readings.push(reading)
  }
  return readings
}

/** The text with everything resolved. */
export function fullyRead(text: string): string {
  return readingsOf(text).at(-1)?.text ?? text
}

function withoutAll(spellings: readonly Spelling[], given: Reading): Reading {
  let reading = given
  for (let layer = 0; layer < MAX_LAYERS; layer += 1) {
    const next = reading.without(spellings)
    if (!next) break
    reading = next
  }
  return reading
}

/** What one of the spellings below has. */
const SPELLED = /[\\%&\t]|\[(?:\d|m\[)| {2}|(?<![\w+/-])[A-FI-Za-f\d][\w+/-]{11}/

/** As `matchAll`, which compiles the pattern anew for each text. */
export function matchesOf(pattern: RegExp, text: string): Range[] {
  const matches: Range[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text))
    matches.push([match.index, pattern.lastIndex])
  return matches
}

/** A way to write a character as other ones. */
export interface Spelling {
  readonly pattern: RegExp
  /** What is meant; undefined if it is no such spelling. */
  readonly decode: (written: string) => string | undefined
}

const escapes: readonly Spelling[] = [
  {
    // JSON, JavaScript, PHP, shells, Markdown: `\/`, `\u002f`, `\x2f`, `\057`, `\_`.
    pattern:
      /\\(?:[nrt]|u[\da-fA-F]{4}|u\{[\da-fA-F]{1,6}\}|x[\da-fA-F]{2}|[0-3][0-7]{2}|[!-$'-/:-@[-`{-~]|&(?!#?\w{1,10};)|%(?![\da-fA-F]{2}))/g,
    decode: fromBackslash,
  },
  { pattern: /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,14});/gi, decode: fromEntity },
  // The colours of a terminal, also as `grep` writes them.
  { pattern: /\[(?:\d[\d;:]{0,20}m(?:\[0?K)?|m\[0?K)/g, decode: () => '' },
  // Several spaces, and a line of a shell that goes on.
  { pattern: /[ \t]{2}(?<=\S[ \t]{2})[ \t]*|\t(?<=\S\t)|\\\r?\n[ \t]*/g, decode: () => ' ' },
]

const encodings: readonly Spelling[] = [
  {
    pattern:
      /%(?:u[\da-f]{4}|[0-7][\da-f]|[cd][\da-f]%[89ab][\da-f]|e[\da-f](?:%[89ab][\da-f]){2}|f[0-7](?:%[89ab][\da-f]){3})/gi,
    decode: fromPercent,
  },
  {
    // Base64, also on several lines, and hexadecimal.
    pattern:
      /(?<![\w+/-])[A-FI-Za-f\d][\w+/-]{11,}(?:(?<=[\w+/-]{60})\r?\n[ \t]{0,20}[\w+/-]{1,100}){0,200}={0,2}/g,
    decode: fromDigits,
  },
]

function fromBackslash(written: string): string | undefined {
  const sign = written.charAt(1)
  if (/[ux]/.test(sign)) return character(Number.parseInt(written.replace(/\W|[ux]/g, ''), 16))
  if (/\d/.test(sign)) return character(Number.parseInt(written.slice(1), 8))
  return { n: '\n', r: '\r', t: '\t' }[sign] ?? sign
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

const WORDS = /^.[a-z/_-]*$/
/** Most runs of such letters are words, paths, hashes or pictures. NUL separates user and password in SMTP. */
function fromDigits(written: string): string | undefined {
  if (WORDS.test(written)) return undefined
  const isHex = /^(?:0x)?(?:[\da-f]{2}){10,}$/i.test(written)
  const text = Buffer.from(
    isHex ? written.replace(/^0x/i, '') : written,
    isHex ? 'hex' : 'base64',
  ).toString()
  return /^[\0\t\n\r -~\u{a0}-\u{d7ff}\u{e000}-\u{fffc}\u{10000}-\u{10ffff}]{8,}\ufffd?$/u.test(
    text,
  )
    ? text
    : undefined
}

function character(code: number): string | undefined {
  return code <= 0x10ffff ? unlessHidden(String.fromCodePoint(code)) : undefined
}

function unlessHidden(letter: string): string {
  return HIDDEN.test(letter) ? '' : letter
}
