import {
  isGenerated,
  isInvented,
  isInWords,
  isNumberedName,
  matches,
  QUOTED,
  type Shape,
  type ShapeGroup,
} from './secret-shape.ts'

/** A password in languages that people write to agents. */
const NAMES = [
  ...['password', 'passwort', 'passphrase', 'kennwort', 'mot de passe', 'contraseña', 'senha'],
  ...['wachtwoord', 'hasło', 'пароль', 'パスワード', '密码', '密碼', '비밀번호'],
]
const PASSWORD = `(?:${NAMES.join('|')})`

const IS = String.raw`(?:\s?[:：]|\s?[は是는]|\s(?:is|was|to|ist|lautet|est|es|é|è))(?:\s(?:now|set to|changed to|jetzt))?:?`

/** Characters of a password without spaces. Letters of other alphabets follow it in a sentence. */
const VALUE = String.raw`(?:(?!['"\x60,;(){}<>$\\])[!-~])`

/** Quotes and marks around a name or a value in JSON, YAML, code and Markdown. */
const MARKS = String.raw`[\\"'\x60*]{0,4}`

const USER = String.raw`(?<![A-Za-z])(?:user(?:_?name)?|login|e-?mail)${MARKS}[ \t]{0,3}[:=]${MARKS}[ \t]{0,3}${MARKS}[^\s"'\x60\\,;]{1,100}${MARKS}`

const PASS = String.raw`${MARKS}(?:pass(?:word|wd|phrase)?|pwd)${MARKS}[ \t]{0,3}[:=]${MARKS}[ \t]{0,3}`

const sentences: readonly Shape[] = [
  // The password is hunter2. Das Passwort lautet: Geheim123
  {
    pattern: new RegExp(
      String.raw`(?<keep>${PASSWORD}(?:\s(?:for|für|pour|of|von)\s(?:user\s)?[\w.@-]{1,40})?${IS}\s{0,2}["'\x60*„“「«]{0,3})${VALUE}{6,}`,
      'gi',
    ),
    accept: (value, after) => isInvented(value) && !/^[({}<>$]/.test(after),
  },
  // Log in as admin with password hunter2.
  {
    words: ['password '],
    pattern: new RegExp(
      String.raw`(?<keep>(?:\b(?:with|and|using|use|the|new|old)\s(?:the\s)?password\s["'\x60*]{0,3}|\bpassword\s["'\x60]))${VALUE}{6,}`,
      'gi',
    ),
    accept: isInvented,
  },
  // The password is "correct-horse": in quotes also without a digit.
  {
    words: ['password '],
    pattern: new RegExp(
      String.raw`(?<keep>\bpassword\s(?:is|was|to)(?:\s(?:now|set to|changed to))?:?\s["'\x60])${VALUE}{6,}`,
      'gi',
    ),
    accept: (value, after) => /^["'`]/.test(after) && isInWords(value),
  },
]

/** Your API key is 0a1b2c3d4e5f6a7b. AWS Secret Access Key [None]: ... */
const keys: readonly Shape[] = [
  {
    pattern:
      /(?<keep>(?:\btoken|\bsecret|(?:API|access|secret|private|auth) key)(?:\s\[[^\]\n]{0,20}\])?(?:\s?[:：]|\s(?:is|was|→|->|=>))?\s{1,2}["'`*]{0,3})(?!0x)[\w+/=.~-]{16,}/gi,
    accept: isKey,
  },
  // Set DB_PASSWORD to hunter2. API_KEY → 0a1b2c
  {
    pattern: new RegExp(
      String.raw`(?<keep>(?:PASSWORD|PASSWD|SECRET|TOKEN|_KEY|_PASS)["'\x60*]{0,3}\s(?:to|is|was|→|->|=>)\s["'\x60*]{0,3})${VALUE}{6,}`,
      'g',
    ),
    accept: (value) => isInvented(value) && !isNumberedName(value),
  },
  {
    words: ['：'],
    pattern: /(?<keep>(?:token|secret|key)：\s?)[\w+/=.~-]{8,}/gi,
    accept: isGenerated,
  },
]

const rows: readonly Shape[] = [
  // | DB_PASSWORD | hunter2 |
  {
    pattern: new RegExp(
      String.raw`(?<keep>\|[ \t*\x60]{0,3}[\w.-]{0,40}(?:password|passwort|passwd|passphrase|_pass|secret|token|api[_ -]?key)[ \t*\x60]{1,60}\|[ \t*\x60]{1,3})${VALUE}{6,}(?=[ \t*\x60]{1,60}\|)`,
      'gi',
    ),
    accept: (value) => isInvented(value) && !isNumberedName(value),
  },
]

/** A name of a user before it shows that it is a password, which may be an ordinary word. */
const pairs: readonly Shape[] = [
  // {"username":"me","password":"hunter"}, { user: 'me', pass: 'hunter' }
  {
    pattern: new RegExp(
      String.raw`(?<keep>${USER}(?:[,;][^{}\n]{0,100}?)?[,;]?\s{0,20}${PASS}\\?["'])${VALUE}{4,}`,
      'gi',
    ),
    accept: (value, after) => /^\\?["']/.test(after) && isInWords(value),
  },
  // Username: me
  // Password: hunter
  {
    pattern: new RegExp(
      String.raw`(?<keep>${USER}[ \t]{0,3}\n[\s•-]{0,20}${PASS}${MARKS})${VALUE}{4,}`,
      'gi',
    ),
    accept: (value, after) => /^[`*]{0,3}(?:\n|$)/.test(after) && isInWords(value),
  },
  // DB_PASSWORD: hunter
  {
    pattern: new RegExp(
      String.raw`(?<keep>(?<![^\n])[ \t]{0,20}(?:-[ \t])?[A-Z][A-Z\d]{1,40}_(?:[A-Z\d]{1,40}_){0,4}(?:PASSWORD|PASSWD|PASS|PWD):[ \t]["']?)${VALUE}{4,}`,
      'g',
    ),
    accept: (value, after) => /^["']?(?:\n|$)/.test(after) && isInWords(value),
  },
  // pass: 'hunter22'
  {
    words: ['pass', 'pwd', 'pw'],
    pattern: new RegExp(
      String.raw`(?<keep>(?<![\w-])(?:pass|pwd|pw)\\?["']?\s?[:=]\s?\\?["'])${VALUE}{6,}`,
      'gi',
    ),
    accept: (value, after) => /^\\?["']/.test(after) && isInvented(value),
  },
]

const defines: readonly Shape[] = [
  // #define WIFI_PASSWORD "hunter", storePassword 'hunter'
  {
    pattern: new RegExp(
      String.raw`(?<keep>(?:#define\s\w{0,40}(?:PASS(?:WORD|WD|PHRASE)?|PSK|PWD)|\b(?:store|key)Password)\s{1,20}["'])(?:${QUOTED})`,
      'g',
    ),
    accept: isInWords,
  },
]

const logins: readonly Shape[] = [
  // Log in with admin / hunter2.
  {
    pattern: new RegExp(
      String.raw`(?<keep>\b(?:credentials?|log ?in)\b[^\n/]{0,40}?[\s"'\x60:](?:[\w.@+-]{1,60}["'\x60]?\s/\s|(?:admin|root|demo|guest)/)["'\x60]?)${VALUE}{6,}`,
      'gi',
    ),
    // `admin/auth2.ts` is a file.
    accept: (value) => isInvented(value) && !/\.[a-z]{1,5}$/.test(value),
  },
]

const xml: readonly Shape[] = [
  {
    pattern: new RegExp(
      String.raw`(?<keep><(?:[\w.-]{0,40}?)(?:password|passphrase|passwd|secret|token|apikey)>\s{0,20})${VALUE}{4,}(?=\s{0,20}</)`,
      'gi',
    ),
    accept: isInWords,
  },
  // <add key="ClearTextPassword" value="hunter" />
  {
    pattern: new RegExp(
      String.raw`(?<keep>=["'][\w.-]{0,40}(?:password|secret|apikey)["']\svalue=["'])${VALUE}{4,}`,
      'gi',
    ),
    accept: isInWords,
  },
]

/** Last, because what follows a value decides. */
export const labelledGroups: readonly ShapeGroup[] = [
  { words: NAMES, shapes: sentences },
  { words: ['key', 'token', 'secret', 'pass'], shapes: keys },
  { words: ['#define', 'storepassword', 'keypassword'], shapes: defines },
  { words: ['credential', 'log'], shapes: logins },
  { words: ['|'], gate: matches(/pass|secret|token|key/i), shapes: rows },
  {
    words: ['pass', 'pw'],
    gate: matches(/(?:pass(?:word|wd|phrase)?|pwd|pw)[\\"'`*]{0,4}\s{0,3}[:=]/i),
    shapes: pairs,
  },
  {
    words: ['</', 'value='],
    gate: matches(/(?:password|passphrase|passwd|secret|token|key)["'>]/i),
    shapes: xml,
  },
]

function isKey(value: string): boolean {
  const isMixed = /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value)
  return isGenerated(value) || (isMixed && value.length >= 20)
}
