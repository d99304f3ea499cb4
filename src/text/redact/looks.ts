/** `after` is what follows the value. */
export type Test = (value: string, after: string) => boolean

const KEYWORD =
  /^(?:\d+|true|false|yes|no|on|off|null|none|undefined|auto|always|never|ask|prompt|stdin|(?:required|nullable)(?:\|.*)?|optional|\*+|%\w+%?|(?:process|os|env|import|config|settings|props|self|this|var|local)\..*)$/i

/** What documents and `--help` write in the place of a value. */
const PLACEHOLDER =
  /^(?:[Yy]our[_-].*|YOUR_.*|[xX]{4,}|[\w-]{0,4}\.{3}|STRING|TEXT|VALUE|PASS(?:WORD|WD|PHRASE)?)$/

/** Whether a value is not a number, a keyword, a placeholder, a path or an expression. */
function isLiteral(value: string): boolean {
  return !KEYWORD.test(value) && !PLACEHOLDER.test(value) && !isPath(value)
}

/** `docker run --name mysql -p3306:3306` publishes a port. */
function isNoPort(value: string): boolean {
  return isLiteral(value) ? !/^[\d.]+:[\d:.]+$/.test(value) : /^\d{6,}$/.test(value)
}

/** The same for a place where prose may follow: `redis-cli -a takes the password`. */
function isPassword(value: string, after: string): boolean {
  const isProse = !/^["']/.test(after) && /^[a-z]+[.,:!?]*$/i.test(value)
  return isNoPort(value) && !isProse && !/^[./~]/.test(value)
}

/** Whether a value was made up or generated: it has a digit, or is long and mixed. */
function isAssignable(value: string): boolean {
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
function isNameOfValue(value: string): boolean {
  return /(?:pass\w{0,20}|pwd?|psk|secret|token|key|auth)=(?:=?|[\w.@-]{1,60}:)$/i.test(value)
}

/** The same for a token, which nobody makes up. */
function isToken(value: string): boolean {
  return isAssignable(value) && !isNumberedName(value)
}

/** Whether it is a name with a small number, as nobody generates a token: `blue-500`, `app-db-v2`, `T_STRING2`. */
function isNumberedName(value: string): boolean {
  return /^[a-z]+(?:[-_.:][a-z]+)*[-_.]?v?\d{1,3}$/i.test(value) && /[-_.:]/.test(value)
}

/** Whether a value is not a word, a version, a date, a path, a file or a URL. */
export function isGenerated(value: string): boolean {
  const isFile =
    /^[a-z0-9_.-]+\/[a-z0-9_./-]*$/.test(value) || /\.[a-z]{1,4}[.:\d]{0,40}$/.test(value)
  if (isPath(value) || isFile || value.includes('://')) return false
  if (
    /^(?:v?\d[\d.:/T-]*|[a-z]+(?:\d+[a-z]*)?(?:[-_.](?:[a-z]+(?:\d{1,3}[a-z]*)?|\d+))+\.?)$/i.test(
      value,
    )
  )
    return false
  return /(?:\d\D{0,300}){3}/.test(value)
}

/** Also part of a path: a value is a path or not regardless of what was redacted behind it. */
function isPath(value: string): boolean {
  return /^[.~]?(?:\/[a-z0-9_.-]+)+\/?$/.test(value)
}

/** What is said about a password instead of the password. */
const STATUS =
  /^(?:string|text|number|boolean|varchar|missing|invalid|unset|empty|unknown|wrong|incorrect|expired|hidden|hashed|encrypted|redacted|default|disabled|enabled|changed|updated|correct|valid|masked|protected|unused|deprecated|supported|present|absent|blank|sensitive|secure|reset|generated|removed|stored|rejected|accepted|bcrypt|plaintext)$/i

/** Whether a word in prose is not one about passwords: `argon2id`, `base64`, `16-character`, `128-bit`. */
function isInvented(value: string): boolean {
  const isWord =
    /^(?:\d+[-a-z]*|(?:argon|base|sha|md|utf|pbkdf|aes|rfc|bcrypt|scrypt|v)-?\d.*)[.:!?*]*$/i.test(
      value,
    )
  return !isWord && /\d/.test(value) && /[a-z]/i.test(value) && !/[/[\]=|]/.test(value)
}

/** Whether a word does not stand for a password, as these do: `string`, `DB_PASSWORD` or `form.password`. */
function isInWords(value: string): boolean {
  const isName =
    /^[A-Z_]+$|^\W+$|^\w+\[\w*\]$|^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|(?:^|[a-z_.])[Pp]ass(?:word|wd|phrase)?$/
  return isLiteral(value) && !STATUS.test(value) && !isName.test(value)
}

/** Whether a value is `user:password` in base64. A character at its end may be cut. */
function isLogin(value: string): boolean {
  const text = Buffer.from(value.slice(0, 400), 'base64').toString()
  return /^[ -~]+:[^\p{Cc}\ufffd]+\ufffd?$/u.test(text)
}

/** Whether a value was generated: no word has digits, lower case and upper case. */
export function isMixed(value: string): boolean {
  return /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value)
}

/** What a value must look like, by name. */
export const tests: Readonly<Record<string, Test>> = {
  any: () => true,
  literal: isLiteral,
  assignable: isAssignable,
  token: isToken,
  password: isPassword,
  'last password': isLastPassword,
  'last word': isLastWord,
  generated: isGenerated,
  invented: isInvented,
  'in words': isInWords,
  key: (value) => isGenerated(value) || (value.length >= 20 && isMixed(value)),
  bearer: (value) => /\d/.test(value) && !/^[a-z]+(?:-(?:[a-z]+|\d+))+$/i.test(value),
  cookies: (value) => /(?:^|;)[^;=]{0,80}=(?=[^;]{0,4000}\d)[^;]{8}/.test(value),
  'login in base64': isLogin,
  // The digits of a second factor, or what a YubiKey types.
  'one-time code': (value) => /^(?:\d{4,10}|[cbdefghijklnrtuv]{32,64})$/.test(value),

  'not short': (value) => value.length >= 8,
  long: (value) => value.length >= 16,
  'with digit': (value) => value.length >= 6 && /\d/.test(value),
  'no port': isNoPort,
  'no name': (value) => !isNumberedName(value),
  'no identifier': (value) => !/^[a-z]{1,10}\d{1,3}$/i.test(value),
  'no path': (value) => !value.includes('/'),
  'no file': (value) => !/\.[a-z]{1,5}$/.test(value),
  // Nor a file of parameters.
  'no script': (value) => !/\.(?:sql|par|ctl|rcv|md|sh)$/.test(value),
  'not about options': (value) => !ABOUT_OPTIONS.test(value),
  // Text, such as a program, is encoded.
  'encodes no text': (value) => value.length >= 12 && !/%(?!2[BF]|3D)/i.test(value),

  // What follows the value.
  'no call': (_, after) => !/^[(){}<>$]/.test(after),
  'no call but $': (_, after) => !/^[(){}<>]/.test(after),
  'no expression': (_, after) => !/^[({}<>$]/.test(after),
  quoted: (_, after) => /^["'`]/.test(after),
  'to the end of the line': (_, after) => /^["'`*]{0,3}(?:\r?\n|$)/.test(after),
  'in a row': (_, after) => /^[ \t*`]{1,60}\|/.test(after),
  'in an element': (_, after) => /^\s{0,20}<\//.test(after),
  'piped into a login': (_, after) => INTO_LOGIN.test(after),
}

const INTO_LOGIN =
  /^["']?\s?\|\s?[^|;&\n]{0,100}?(?:-stdin|sudo\s(?:-\w{1,20}\s){0,3}-\w{0,3}S|chpasswd|--with-token|secrets?\s(?:put|set|create|versions\sadd)\s|(?:smb)?passwd\s|kinit\s|cryptsetup\s)/

/** What follows an option in a sentence. */
const ABOUT_OPTIONS =
  /^(?:instead|takes?|with|from|when|then|that|this|must|should|will|would|could|were|have|needs?|requires?|options?|flags?|arguments?|parameters?|value|field|only|also|here|again|asks?|works?|sets?|reads?|accepts?|expects?|exists?|fails?|appears|supports?|deprecated|missing|string|correctly|explicitly)$/i

/** Whether the last word of a command is a password: `bw unlock re-enters the vault` is prose. */
function isLastPassword(value: string, after: string): boolean {
  const isLast = /^(?:$|["'`)\n|;&]|\s+(?:-|[|;&]))/.test(after)
  return isPassword(value, after) && !isNameOfValue(value) && (isLast || /\d/.test(value))
}

/** `--password takes a word` is prose. */
function isLastWord(value: string, after: string): boolean {
  if (
    /^[A-Z_]+$|[.:?]$|:\/\//.test(value) ||
    ABOUT_OPTIONS.test(value) ||
    isNameOfValue(value) ||
    !isLiteral(value)
  )
    return false
  return /^(?:$|["'`)\n|;&]|\s+(?:-|[|;&]|\\?\n))/.test(after)
}
