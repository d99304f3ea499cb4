import { assignedGroups, lateAssignedGroups } from './assigned-secrets.ts'
import { codeGroups } from './code-secrets.ts'
import { commandGroups } from './command-secrets.ts'
import { commandWordGroups } from './command-words.ts'
import { fixedKeys, START } from './fixed-keys.ts'
import { authorizationGroup, headerGroups } from './header-secrets.ts'
import { labelledGroups } from './labelled-secrets.ts'
import { oneTimeCodeGroups } from './one-time-codes.ts'
import { matches, type Shape, type ShapeGroup } from './secret-shape.ts'
import { urlGroups } from './url-secrets.ts'

/** Matches only at the start of a run of key characters. */
const RUN_START = String.raw`(?<![\w-])`

const NEWLINE = String.raw`\r?\n[ \t]{0,20}`
const BREAK = `(?:${NEWLINE})?`
const LINES = String.raw`[\w-]{1,}(?:${NEWLINE}[\w-]{1,}){0,20}`

const pemShapes: readonly Shape[] = [
  // First, because a match of another shape inside the key must not hide its end.
  {
    words: ['-----begin '],
    pattern:
      /-----BEGIN (?![A-Z ]{0,40}PUBLIC )[A-Z ]{0,40}KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,40}KEY(?: BLOCK)?-----|$)/g,
  },
  // The end of one that was truncated at its start.
  {
    words: ['-----end '],
    pattern:
      /(?<![A-Za-z0-9+/=]{30}\s{1,2})(?<![A-Za-z0-9+/=])(?:[A-Za-z0-9+/=]{30,100}\s{1,2}){1,100}(?:[A-Za-z0-9+/=]{1,100}\s{1,2})?-----END (?![A-Z ]{0,40}PUBLIC )[A-Z ]{0,40}KEY(?: BLOCK)?-----/g,
  },
]

/** The private part of a key of PuTTY. Its lines end with the next line that has a name. */
const puttyShapes: readonly Shape[] = [
  {
    pattern:
      /(?<keep>Private-Lines:\s{0,3}\d{1,4}\s{1,30})(?:[A-Za-z0-9+/=]{1,100}(?![\w:-])\s{0,30}){1,1000}/g,
  },
]

const wrappedShapes: readonly Shape[] = [
  // A JWT that a terminal wrapped: its lines contain nothing else.
  {
    words: ['eyj'],
    pattern: new RegExp(
      String.raw`${RUN_START}eyJ${LINES}${BREAK}\.${BREAK}eyJ${LINES}${BREAK}\.${BREAK}[\w-]{10,}(?:${NEWLINE}[\w-]{20,}){0,20}`,
      'g',
    ),
  },
]

type Run = Omit<Shape, 'pattern'> & { start?: string; run: string }

/** Only the place where they begin distinguishes these from a part of a longer word. */
const runs: readonly Run[] = [
  // Names of packages and classes look similar, but have no digit.
  {
    words: ['sk-', 'fk-'],
    run: String.raw`(?:sk-[\w-]{20,}|fk-[\w-]{16,})`,
    accept: (value) => /\d/.test(value),
  },
  {
    words: ['pypi-'],
    run: String.raw`pypi-[\w-]{30,}`,
    accept: (value) => isMixed(value.slice(5)),
  },
  // A JWT, also an encrypted one, and one that was truncated.
  {
    words: ['eyj'],
    start: RUN_START,
    run: String.raw`eyJ[\w-]{10,}\.(?:[\w-]{10,}\.[\w-]{5,}(?:\.[\w-]+){0,2}|eyJ[\w-]{10,})`,
  },
]

const fixedGroups: readonly ShapeGroup[] = fixedKeys.map(({ sign, run }) => ({
  gate: matches(sign),
  shapes: [{ pattern: new RegExp(START + run, 'g') }],
}))

const keyShapes: readonly Shape[] = [
  // The path of a webhook is its password.
  {
    words: ['https://'],
    pattern:
      /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)|(?:\w{1,20}\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks|[\w-]{1,63}\.webhook\.office\.com|outlook\.office\.com\/webhook|hooks\.zapier\.com\/hooks\/catch)\/[\w/@.-]+/g,
  },
  ...runs.map(({ start = START, run, ...shape }) => ({
    ...shape,
    pattern: new RegExp(start + run, 'g'),
  })),
  // A private key in base64, as in a kubeconfig.
  {
    words: ['ls0tls1crudjti'],
    pattern: /(?<![\w+/=])LS0tLS1CRUdJTi[\w+/=]{20,}/g,
    // Not `atob`, which throws on text that is cut or garbled.
    accept: (value) => Buffer.from(value.slice(0, 64), 'base64').includes(' PRIVATE'),
  },
  // {"auths":{"host":{"auth":"bWU6aHVudGVy"}}}
  {
    words: ['auth'],
    pattern:
      /(?<keep>(?<![\w-])auth(?:\\{0,3}["'])?\s{0,3}:\s{0,20}(?:\\{0,3}["'])?)[\w+/]{8,}={0,2}/g,
    accept: isLogin,
  },
  // //host/:_password=aHVudGVy
  { words: [':_password='], pattern: /(?<keep>:_password=)[\w+/=]{4,400}/g },
  // jdbc:oracle:thin:scott/tiger@host
  {
    words: ['jdbc:oracle:'],
    pattern: /(?<keep>jdbc:oracle:\w{1,10}:\w{1,40}\/)[^\s/@'"]{1,100}(?=@)/g,
  },
  // Discord bot tokens: an id in base64, a time, a signature.
  {
    pattern: new RegExp(String.raw`${RUN_START}[MNO][\w-]{22,28}\.[\w-]{6}\.[\w-]{27,}`, 'g'),
    accept: isMixed,
  },
  // Telegram bot tokens, alone or in a URL, where "bot" precedes them.
  {
    pattern: new RegExp(String.raw`${START}(?:bot)?\d{6,12}:[\w-]{30,}`, 'g'),
    accept: (value) => value.includes(':AA') || isMixed(value.slice(value.indexOf(':'))),
  },
  // Hashes of passwords, as in /etc/shadow.
  {
    words: ['$'],
    pattern:
      /\$(?:(?:apr1|sha1|[1567y])\$[\w./=]{1,30}|2[abxy]\$\d\d|argon2(?:id?|d))\$[\w./+$=,]{16,}/g,
  },
  { words: ['sha}'], pattern: /\{S?SHA\}[\w+/]{27,}={0,2}/g },
  // Client secrets of Microsoft Entra.
  { words: ['q~'], pattern: /(?<![\w.~-])[\w.~-]{3}\dQ~[\w.~-]{31,}/g },
  // user:password@host of a URL: the password.
  {
    words: ['://'],
    pattern: /(?<keep>:\/\/[^\s/:@'"]{0,100}:)[^\s/@'"]+(?:@[^\s/@'"]{1,200}){0,2}(?=@)/g,
    // $PASSWORD, ${PASSWORD}, {password}, <password>
    accept: (value) =>
      !/^(?:\$(?:[A-Z_][A-Z\d_]*|[A-Za-z_]*(?:[Pp]ass|[Pp]w|[Tt]oken|[Ss]ecret|[Kk]ey)[A-Za-z_]*)|\$?\{+[^{}]*\}+|<[^<>]*>|%\w+%)$/.test(
        value,
      ),
  },
  // token@host
  {
    words: ['https://'],
    pattern: /(?<keep>https:\/\/)[\w.~%+-]{20,}(?=@)/g,
    accept: (value) => /\d/.test(value),
  },
  {
    words: ['?sig=', '&sig='],
    pattern: /(?<keep>[?&]sig=)[\w%+/=.~-]{16,}/gi,
  },
]

export const groups: readonly ShapeGroup[] = [
  { words: ['-----'], shapes: pemShapes },
  { words: ['private-lines'], shapes: puttyShapes },
  { words: ['eyj'], shapes: wrappedShapes },
  // These need the command around the value, which other shapes may cut.
  ...commandGroups,
  ...commandWordGroups,
  ...assignedGroups,
  ...headerGroups,
  ...fixedGroups,
  { shapes: keyShapes },
  // After those, because a key may be part of a parameter.
  ...urlGroups,
  authorizationGroup,
  ...lateAssignedGroups,
  ...oneTimeCodeGroups,
  ...labelledGroups,
  ...codeGroups,
]

const SUSPICIOUS =
  /\S{15}|:\/\/|--|\s-[a-z]|=|pass|pwd|\bpw\b|kennwort|contraseña|senha|wachtwoord|hasło|пароль|パスワード|密码|密碼|비밀번호|secret|token|credential|key|auth|login|identified|<<<|vault|psk|add_user|unlock|bundle\s|log\sin|kinit|net\s+use|http-basic|freerdp|sqlplus|sqlldr|[ei][xm]pdp|rman\s/i

/** Quick check: false if no shape can match, as for most words and titles. */
export function mayHoldKey(text: string): boolean {
  return SUSPICIOUS.test(text)
}

/** Whether a value is `user:password` in base64. A character at its end may be cut. */
function isLogin(value: string): boolean {
  const text = Buffer.from(value.slice(0, 400), 'base64').toString()
  return /^[ -~]+:[^\p{Cc}\ufffd]+\ufffd?$/u.test(text)
}

/** Whether a value was generated: no word has digits, lower case and upper case. */
function isMixed(value: string): boolean {
  return /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value)
}
