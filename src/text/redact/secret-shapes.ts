import { assignedGroups, lateAssignedGroups } from './assigned-secrets.ts'
import { codeGroups } from './code-secrets.ts'
import { commandGroups } from './command-secrets.ts'
import { commandWordGroups } from './command-words.ts'
import { authorizationGroup, headerGroups } from './header-secrets.ts'
import { labelledGroups } from './labelled-secrets.ts'
import { oneTimeCodeGroups } from './one-time-codes.ts'
import type { Shape, ShapeGroup } from './secret-shape.ts'
import { urlGroups } from './url-secrets.ts'

/** Not within a word: `risk-based` has no `sk-` key. */
const START = '(?<![A-Za-z0-9])'
/** Matches only at the start of a run of key characters. */
const RUN_START = String.raw`(?<![\w-])`
/** A key extends to the end of its run, so that no other key begins right after it. */
const REST = String.raw`[\w-]*`

/** A fixed word, then a run, and nothing after it. The last is the SID of a key or an account of Twilio. */
const fixed = String.raw`
  xox[abceoprs]-[\w-]{10,}
  xapp-[\w-]{10,}
  [srp]k_(?:live|test)_\w{16,}
  whsec_[\w+/=]{16,}
  gh[oprsu]_\w{20,}
  github_pat_\w{20,}
  gl(?:pat|ptt|dt|rt|cbt|soat|agent|ft|imt)-[\w.-]{16,}
  AIza[\w-]{30,}
  GOCSPX-[\w-]{20,}
  ya29\.[\w-]{20,}
  SG\.[\w-]{16,}\.[\w-]{16,}
  hf_[A-Za-z0-9]{30,}
  dckr_[op]at_[\w-]{20,}
  hv[sbr]\.[\w-]{20,}
  lin_(?:api|oauth)_\w{20,}
  shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32,}
  do[opr]_v1_[a-f0-9]{40,}
  dapi[a-f0-9]{32,}(?:-\d)?
  AGE-SECRET-KEY-1[A-Z0-9]{40,}
  gsk_[A-Za-z0-9]{40,}
  xai-[A-Za-z0-9]{40,}
  gl(?:sa|c)_[\w=+/]{30,}
  sntry[us]_[\w=+/]{30,}
  ATATT[\w=-]{40,}
  ntn_[A-Za-z0-9]{40,}
  PMAK-[\w-]{40,}
  figd_[\w-]{30,}
  rubygems_[a-f0-9]{40,}
  xkeysib-[\w-]{40,}
  tskey-[\w-]{20,}
  npm_[A-Za-z0-9]{36}(?!\w)
  A(?:KIA|SIA|BIA)[0-9A-Z]{16}(?!\w)
  (?:SK|AC)[0-9a-f]{32}(?!\w)
`
  .trim()
  .split(/\s+/)

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

const keyShapes: readonly Shape[] = [
  // The path of a webhook is its password.
  {
    words: ['https://'],
    pattern:
      /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)|(?:\w{1,20}\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks|[\w-]{1,63}\.webhook\.office\.com|outlook\.office\.com\/webhook|hooks\.zapier\.com\/hooks\/catch)\/[\w/@.-]+/g,
  },
  { pattern: new RegExp(`${START}(?:${fixed.join('|')})${REST}`, 'g') },
  // Names of packages and classes look similar, but have no digit.
  {
    words: ['sk-', 'fk-'],
    pattern: new RegExp(String.raw`${START}(?:sk-[\w-]{20,}|fk-[\w-]{16,})`, 'g'),
    accept: (value) => /\d/.test(value),
  },
  {
    words: ['pypi-'],
    pattern: new RegExp(String.raw`${START}pypi-[\w-]{30,}`, 'g'),
    accept: (value) => isMixed(value.slice(5)),
  },
  // A JWT, also an encrypted one, and one that was truncated.
  {
    words: ['eyj'],
    pattern: new RegExp(
      String.raw`${RUN_START}eyJ[\w-]{10,}\.(?:[\w-]{10,}\.[\w-]{5,}(?:\.[\w-]+){0,2}|eyJ[\w-]{10,})`,
      'g',
    ),
  },
  // A private key in base64, as in a kubeconfig.
  {
    words: ['ls0tls1crudjti'],
    pattern: /(?<![\w+/=])LS0tLS1CRUdJTi[\w+/=]{20,}/g,
    // Not `atob`, which throws on text that is cut or garbled.
    accept: (value) => Buffer.from(value.slice(0, 64), 'base64').includes(' PRIVATE'),
  },
  // {"auths":{"host":{"auth":"bWU6aHVudGVy"}}}
  {
    words: ['"auth"'],
    pattern: /(?<keep>"auth":\s?")[\w+/]{8,400}={0,2}/g,
    accept: (value) => /^[ -~]+:[ -~]+$/.test(Buffer.from(value, 'base64').toString('latin1')),
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
    pattern: /\$(?:[156y]\$[\w./=]{1,30}|2[abxy]\$\d\d|argon2id?)\$[\w./+$=,]{16,}/g,
  },
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
  { words: ['eyj'], shapes: wrappedShapes },
  // These need the command around the value, which other shapes may cut.
  ...commandGroups,
  ...commandWordGroups,
  ...assignedGroups,
  ...headerGroups,
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

/** Whether a value was generated: no word has digits, lower case and upper case. */
function isMixed(value: string): boolean {
  return /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value)
}
