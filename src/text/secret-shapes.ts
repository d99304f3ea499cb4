/**
 * The shape of a well-known kind of key, from its issuer's documentation and the rules of secret scanners.
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
   * Each match contains one of these words, in lower case. For a text with none of them the pattern is not even
   * compiled, which takes longer than searching a text.
   */
  readonly words?: readonly string[]
  /** The text of the group `keep`, if there is one, is not redacted. */
  readonly pattern: RegExp
  /** Decides whether a match counts. `after` is the character that follows it. */
  readonly accept?: (value: string, after: string) => boolean
}

/** Not within a word: `risk-based` has no `sk-` key. */
const START = '(?<![A-Za-z0-9])'
/** Matches only at the start of a run of key characters. */
const RUN_START = String.raw`(?<![\w-])`
/** A key extends to the end of its run, so that no other key begins right after it. */
const REST = String.raw`[\w-]*`

/** A fixed word, then a run, and nothing after it. */
const fixed = String.raw`
  xox[abeoprs]-[\w-]{10,}
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
`
  .trim()
  .split(/\s+/)

export const shapes: readonly Shape[] = [
  // First, because a match of another shape inside the key must not hide its end.
  {
    words: ['-----begin '],
    pattern:
      /-----BEGIN [A-Z ]{0,40}KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,40}KEY(?: BLOCK)?-----|$)/g,
  },
  // The path of a webhook is its password.
  {
    words: ['https://'],
    pattern:
      /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)|(?:\w{1,20}\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks|[\w-]{1,63}\.webhook\.office\.com)\/[\w/@.-]+/g,
  },
  { pattern: new RegExp(`${START}(?:${fixed.join('|')})${REST}`, 'g') },
  {
    words: ['npm_', 'akia', 'asia', 'abia'],
    pattern: new RegExp(
      `${START}(?:npm_[A-Za-z0-9]{36}|A(?:KIA|SIA|BIA)[0-9A-Z]{16})(?!\\w)${REST}`,
      'g',
    ),
  },
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
  // Twilio: the SID of an API key and that of the account.
  { pattern: new RegExp(`${START}(?:SK|AC)[0-9a-f]{32}(?!\\w)${REST}`, 'g') },
  // A JWT, also an encrypted one.
  {
    words: ['eyj'],
    pattern: new RegExp(
      String.raw`${RUN_START}eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}(?:\.[\w-]+){0,2}`,
      'g',
    ),
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
  // Client secrets of Microsoft Entra.
  { words: ['q~'], pattern: /(?<![\w.~-])[\w.~-]{3}\dQ~[\w.~-]{31,}/g },
  // user:password@host of a URL: the password.
  {
    words: ['://'],
    pattern: /(?<keep>:\/\/[^\s/:@'"]{0,100}:)[^\s/@'"]{3,}/g,
    accept: (_, after) => after.startsWith('@'),
  },
  {
    words: ['sig=', 'x-amz-'],
    pattern: /(?<keep>[?&](?:sig|X-Amz-Signature|X-Amz-Security-Token)=)[\w%+/=.~-]{16,}/gi,
  },
  {
    words: ['authorization'],
    pattern: /(?<keep>\bAuthorization["']?\s?[:=]\s?["']?(?:Bearer|Basic|Token)\s)[^\s'",;]{6,}/gi,
  },
  {
    words: ['bearer'],
    pattern: /(?<keep>\bBearer\s)[\w.~+/=-]{16,}/gi,
    accept: (value) => /\d/.test(value) && !/^[a-z]+(?:-(?:[a-z]+|\d+))+$/i.test(value),
  },
  // In a shell even an ordinary word may be a password: PGPASSWORD=hunter psql
  {
    words: ['='],
    pattern:
      /(?<keep>(?:PASSWORD|PASSWD|_PWD|_PASS|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRET_?KEY|SECRET_KEY_BASE)=["']?)[^\s'",;(){}<>$&|]{4,}/g,
    accept: (value, after) => isShellValue(value) && !/^[(){}<>$]/.test(after),
  },
  {
    words: ['--'],
    pattern:
      /(?<keep>(?<![\w-])--[\w-]{0,40}?(?:password|passphrase|token|secret|(?:api|access|secret)[_-]?key)[ =]["']?)[^\s'",;(){}<>$]{6,}/gi,
    accept: isAssignable,
  },
  // A value assigned to a name such as "password", unless it looks like a word or an expression. Last, because it
  // checks the character after the value.
  {
    words: ['=', ':'],
    pattern:
      /(?<keep>(?:password|passwd|passphrase|secret|token|credential|(?:api|access|account|private|secret|signing|encryption|auth|client)[_-]?key(?:_base)?)["']?[ \t]{0,8}(?:=>|:=|[:=])\s?["']?)[^\s'",;(){}<>$]{6,}/gi,
    accept: (value, after) => isAssignable(value) && !/^[(){}<>$]/.test(after),
  },
]

const SUSPICIOUS = /\S{15}|:\/\/|--|=|pass|secret|token|credential|key|authorization/i

/** Quick check: false if no shape can match, as for most words and titles. */
export function mayHoldKey(text: string): boolean {
  return SUSPICIOUS.test(text)
}

/** Whether a value was generated: no word has digits, lower case and upper case. */
function isMixed(value: string): boolean {
  return /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value)
}

/** Whether a value is not a number, a keyword, a path or an expression. */
function isShellValue(value: string): boolean {
  return (
    !/^(?:\d+|true|false|null|none|undefined|\*+|%\w+%?|(?:process|os|env|import|config|self|this)\..*)$/i.test(
      value,
    ) && !isPath(value)
  )
}

function isAssignable(value: string): boolean {
  // `tokens[0]` is code.
  if (isPath(value) || /^[A-Za-z_][\w.]*\[\w*\][\w.]*$/.test(value)) return false
  if (/\d/.test(value)) return true
  return (
    value.length >= 20 && /[a-z]/.test(value) && /[A-Z]/.test(value) && /[^A-Za-z.]/.test(value)
  )
}

function isPath(value: string): boolean {
  return /^[.~]?(?:\/[a-z0-9_.-]+)+$/.test(value)
}
