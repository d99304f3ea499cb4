/**
 * What a secret looks like: a well-known kind of key, or a value in a place for secrets.
 *
 * Each pattern takes time in proportion to the text, by construction: an alternative begins with a fixed word, followed
 * by one run of characters. If something has to follow the run, then the callback checks it, or the run is bounded, or
 * a run can start at one position only. A test measures the worst text for each of them at growing lengths.
 *
 * Each also gives the same result on a text that was split at the matches of another shape: a run ends before a
 * character after which no key begins. So redacting a text twice changes nothing the second time.
 */
export interface Shape {
  /**
   * Each match contains one of these words, in lower case and with one space between them. For a text with none of
   * them the pattern is not even compiled, which takes longer than searching a text.
   */
  readonly words?: readonly string[]
  /** Only matches within those of this pattern count, such as the options of a program. */
  readonly scope?: RegExp
  /** The text of the group `keep`, if there is one, is not redacted. */
  readonly pattern: RegExp
  /** Decides whether a match counts. `after` is what follows it, at most 40 characters. */
  readonly accept?: (value: string, after: string) => boolean
}

/** Shapes that are only looked for in texts with one of the words that pass the gate. */
export interface ShapeGroup {
  readonly words?: readonly string[]
  readonly gate?: (text: string) => boolean
  readonly shapes: readonly Shape[]
}

/** A text in the form in which `words` are looked for. */
export function searchable(text: string): string {
  return text.toLowerCase().replace(/[\t ]{2,}|\t/g, ' ')
}

/** Whether a text contains one of the words. */
export function mayMatch({ words }: { words?: readonly string[] }, searched: string): boolean {
  if (!words) return true
  for (const word of words) if (searched.includes(word)) return true
  return false
}

export function matches(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text)
}

/** Not before a placeholder for a value: `$TOKEN`, `<token>`, `{{ token }}`, `%TOKEN%`, `your token`, `...`. */
export const LITERAL = String.raw`(?![$<{]|%\w+%|\*{3}|\.\.\.|[Yy]our[ _-])`

/** After an opening quote, or a name after it, as in `"TOKEN=two words"`. The text before an escaped one has none. */
const opened = (quote: string) =>
  String.raw`(?<=(?:[\s=:,([{]|\s-[a-zA-Z]{1,2})${quote}[^\s"']{0,80})`

/** Punctuation at the start shows that the quote before it was a closing one: `"TOKEN=", "SECRET="`. */
const START = String.raw`${LITERAL}(?![\s,;.:)\]}|&+?\\])`

/** What can be inside double quotes: no expression. */
const INNER = String.raw`[^"\\\n$]|\$(?![({])`

/** A value in quotes, with spaces and escaped quotes; in JSON within a string, the quotes around it are escaped. */
export const QUOTED = [
  String.raw`${opened('"')}${START}(?:${INNER}|\\[^\n]){4,200}(?=")`,
  String.raw`${opened("'")}${START}[^'\n]{4,200}(?=')`,
  String.raw`${opened(String.raw`\\"`)}${START}(?:${INNER}){4,200}(?=\\")`,
].join('|')

/** The same, in places where prose is in quotes as well: its first word must look like a password. */
export const QUOTED_WITH_DIGIT = String.raw`(?<=["'])(?=[^\s"'\\]{0,80}\d)(?=[^\s"'\\]{6})(?:${QUOTED})`

/** A word of a shell. */
export const WORD = String.raw`${LITERAL}[^\s'"\x60|;&<>()-][^\s'"\x60|;&<>()]{3,}`

export const VALUE = `(?:${QUOTED}|${WORD})`

const KEYWORD =
  /^(?:\d+|true|false|yes|no|on|off|null|none|undefined|auto|always|never|ask|prompt|stdin|(?:required|nullable)(?:\|.*)?|optional|\*+|%\w+%?|(?:process|os|env|import|config|settings|props|self|this|var|local)\..*)$/i

/** What documents and `--help` write in the place of a value. */
const PLACEHOLDER =
  /^(?:[Yy]our[_-].*|YOUR_.*|[xX]{4,}|[\w-]{0,4}\.{3}|STRING|TEXT|VALUE|PASS(?:WORD|WD|PHRASE)?)$/

/** Whether a value is not a number, a keyword, a placeholder, a path or an expression. */
export function isLiteral(value: string): boolean {
  return !KEYWORD.test(value) && !PLACEHOLDER.test(value) && !isPath(value)
}

/** `docker run --name mysql -p3306:3306` publishes a port. */
export function isNoPort(value: string): boolean {
  return isLiteral(value) ? !/^[\d.]+:[\d:.]+$/.test(value) : /^\d{6,}$/.test(value)
}

/** The same for a place where prose may follow: `redis-cli -a takes the password`. */
export function isPassword(value: string, after: string): boolean {
  const isProse = !/^["']/.test(after) && /^[a-z]+[.,:!?]*$/i.test(value)
  return isNoPort(value) && !isProse && !/^[./~]/.test(value)
}

/** Whether a value was made up or generated: it has a digit, or is long and mixed. */
export function isAssignable(value: string): boolean {
  // `tokens[0]` is code.
  if (!isLiteral(value) || /^[A-Za-z_][\w.]*\[\w*\][\w.]*$/.test(value)) return false
  if (/\d/.test(value) || isPadded(value)) return true
  return (
    value.length >= 20 && /[a-z]/.test(value) && /[A-Z]/.test(value) && /[^A-Za-z.]/.test(value)
  )
}

function isPadded(value: string): boolean {
  return /^[A-Za-z+/]{6,}={1,2}$/.test(value) && !isNameOfValue(value)
}

/** Whether a value is only the name of one that was redacted before: `PGPASSWORD=`. */
export function isNameOfValue(value: string): boolean {
  return /(?:pass\w{0,20}|pwd?|psk|secret|token|key|auth)=(?:=?|[\w.@-]{1,60}:)$/i.test(value)
}

/** The same for a token, which nobody makes up. */
export function isToken(value: string): boolean {
  return isAssignable(value) && !isNumberedName(value)
}

/** Whether it is a name with a small number, as nobody generates a token: `blue-500`, `app-db-v2`, `T_STRING2`. */
export function isNumberedName(value: string): boolean {
  return /^[a-z]+(?:[-_.:][a-z]+)*[-_.]?v?\d{1,3}$/i.test(value) && /[-_.:]/.test(value)
}

/** Whether a value is not a word, a version, a date, a path, a file or a URL. */
export function isGenerated(value: string): boolean {
  if (isPath(value) || /:\/\/|^[a-z0-9_.-]+\/[a-z0-9_./-]*$|\.[a-z]{1,4}[.:\d]*$/.test(value))
    return false
  if (
    /^(?:v?\d[\d.:/T-]*|[a-z]+(?:\d+[a-z]*)?(?:[-_.](?:[a-z]+(?:\d{1,3}[a-z]*)?|\d+))+\.?)$/i.test(
      value,
    )
  )
    return false
  return /(?:\d\D*){3}/.test(value)
}

/** Also part of a path: a value is a path or not regardless of what was redacted behind it. */
function isPath(value: string): boolean {
  return /^[.~]?(?:\/[a-z0-9_.-]+)+\/?$/.test(value)
}

/** What is said about a password instead of the password. */
const STATUS =
  /^(?:string|text|number|boolean|varchar|missing|invalid|unset|empty|unknown|wrong|incorrect|expired|hidden|hashed|encrypted|redacted|default|disabled|enabled|changed|updated|correct|valid|masked|protected|unused|deprecated|supported|present|absent|blank|sensitive|secure|reset|generated|removed|stored|rejected|accepted|bcrypt|plaintext)$/i

/** Whether a word in prose is not one about passwords: `argon2id`, `base64`, `16-character`, `128-bit`. */
export function isInvented(value: string): boolean {
  const isWord =
    /^(?:\d+[-a-z]*|(?:argon|base|sha|md|utf|pbkdf|aes|rfc|bcrypt|scrypt|v)-?\d.*)[.:!?*]*$/i.test(
      value,
    )
  return !isWord && /\d/.test(value) && /[a-z]/i.test(value) && !/[/[\]=|]/.test(value)
}

/** Whether a word does not stand for a password, as these do: `string`, `DB_PASSWORD` or `form.password`. */
export function isInWords(value: string): boolean {
  const isName =
    /^[A-Z_]+$|^\W+$|^\w+\[\w*\]$|^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|(?:^|[a-z_.])[Pp]ass(?:word|wd|phrase)?$/
  return isLiteral(value) && !STATUS.test(value) && !isName.test(value)
}
