import { options, quotedOptions } from './option-secrets.ts'
import {
  isAssignable,
  isGenerated,
  isLiteral,
  isPassword,
  isToken,
  LITERAL,
  matches,
  QUOTED,
  QUOTED_WITH_DIGIT,
  type Shape,
  type ShapeGroup,
  VALUE,
  WORD,
} from './secret-shape.ts'

/** A pass of a renderer or a compiler, such as `SHADOW_PASS`. */
const STAGE =
  '(?:RENDER|SHADOW|DEPTH|LIGHT|LIGHTING|GEOMETRY|FORWARD|DEFERRED|POST|BLOOM|COLOR|BLIT|FIRST|SECOND|THIRD|MULTI|SINGLE|FINAL|EARLY|LATE|OPT|LLVM|MLIR|COMPILER|ANALYSIS|TRANSFORM|LOWERING)'

/** Names of variables in a shell. */
const VARIABLE = `(?:PASSWORD|SSHPASS|(?<![A-Za-z_])PASS|PASSWD|_PWD|(?<![A-Za-z])PW|(?<!(?<![A-Za-z])${STAGE})_PASS|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRET_?KEY|SECRET_KEY_BASE|(?<![A-Za-z\\d])TF_VAR_\\w{0,60}(?:password|secret|token|key))`

/** Between a name and its value, as in `"password": "`, `- **Token:** `, `secret => '`. */
const ASSIGNED = String.raw`\\?["'\x60*]{0,3}[ \t]{0,8}(?:=>|:=|[:=](?!:))[*]{0,2}\s?\\?["'\x60]?`

/** TOKEN="two words" */
const variables: readonly Shape[] = [
  // export TOKEN="two words"
  {
    pattern: new RegExp(String.raw`(?<keep>${VARIABLE}=(?:\\?["'])?)(?:${QUOTED})`, 'g'),
    accept: isLiteral,
  },
  {
    pattern: new RegExp(
      String.raw`(?<keep>\b(?:export|local|readonly)\s\w{0,60}(?:password|passwd|passphrase|secret|token|key)=\\?["'])(?:${QUOTED})`,
      'g',
    ),
    accept: isLiteral,
  },
  // --password=hunter, -Ddb.password=hunter, --from-literal=password=hunter, -e ansible_password=hunter
  {
    pattern: new RegExp(
      String.raw`(?<keep>(?<![\w-])-(?:-|D|(?:var|e|-from-literal|-extra-vars|-set|-env|-var)[ =]["']?)[\w.-]{0,60}?(?:password|passphrase|passwd|_pass)=["']?)${VALUE}`,
      'gi',
    ),
    accept: isLiteral,
  },
  // Server=db;User Id=sa;Password=two words;
  {
    pattern: new RegExp(
      String.raw`(?<keep>;(?<==[^\s;=][^;=\n]{0,100};)\s?(?:password|pwd)=)${LITERAL}[^\s;"'(){}<>$=][^;"'\n(){}<>$=]{3,100}(?=[;"'])`,
      'gi',
    ),
  },
  // RAILS_MASTER_KEY=0a1b2c3d..., GITHUB_PAT=0a1b2c3d...
  {
    pattern: new RegExp(
      `(?<keep>(?<!(?:PUBLIC|CACHE|IDEMPOTENCY|PARTITION|SORT|SSH|HOST|GPG))_(?:KEY|PAT)=["']?)${VALUE}`,
      'g',
    ),
    accept: (value) => value.length >= 16 && isGenerated(value),
  },
  // BASIC_AUTH=me:hunter2
  {
    pattern: new RegExp(String.raw`(?<keep>[A-Z]_AUTH=["']?[\w.@-]{1,60}:)(?!//)${WORD}`, 'g'),
    accept: isLiteral,
  },
  // psk="two words"
  {
    pattern: new RegExp(`(?<keep>(?<![A-Za-z])psk=["']?)${VALUE}`, 'g'),
    accept: isLiteral,
  },
  {
    pattern:
      /(?<keep>\b(?:JSESSIONID|PHPSESSID|ASP\.NET_SessionId|connect\.sid)=)[\w%.:~+/=-]{8,}/gi,
  },
]

const settings: readonly Shape[] = [
  // PowerShell, fish, Windows
  {
    words: ['$env:', 'setx ', 'set -'],
    pattern: new RegExp(
      String.raw`(?<keep>(?:\$env:\w{0,60}${VARIABLE}\s?=\s?|\bset(?:x|\s-[a-z]{1,4})\s\w{0,60}${VARIABLE}\s)["'])(?:${QUOTED})`,
      'gi',
    ),
    accept: isLiteral,
  },
  // npm config set //host/:_authToken abc123, aws configure set aws_secret_access_key abc123
  {
    words: ['config set ', 'configure set '],
    pattern: new RegExp(
      String.raw`(?<keep>\b(?:config|configure)\sset\s(?:--?[\w-]{1,40}\s){0,3}[\w./:@-]{0,200}?(?:password|passwd|token|secret|auth|key)\s["']?)${VALUE}`,
      'gi',
    ),
    accept: isPassword,
  },
]

const netrc: readonly Shape[] = [
  {
    pattern: new RegExp(
      String.raw`(?<keep>\bmachine\s\S{1,100}\s{1,8}login\s\S{1,100}\s{1,8}password\s)${WORD}`,
      'g',
    ),
  },
]

const assignments: readonly Shape[] = [
  // In a shell even an ordinary word may be a password: PGPASSWORD=hunter psql
  {
    pattern: new RegExp(String.raw`(?<keep>${VARIABLE}=["'\x60]?)[^\s'"\x60,;(){}<>$&|]{4,}`, 'g'),
    accept: (value, after) => isLiteral(value) && !/^[(){}<>$]/.test(after),
  },
  // A value assigned to a name such as "password", unless it looks like a word or an expression. Last, because it
  // checks the character after the value.
  {
    pattern: new RegExp(
      String.raw`(?<keep>(?:password|passwd|passphrase|(?:ssh|become|sudo|db|smtp|mail)_?pass|(?<!existing|--)secret|credential|(?:api|access|account|private|secret|signing|encryption|auth|client|preshared|subscription)[_-]?key(?:_base)?|(?<!\w)_auth)${ASSIGNED})(?:${QUOTED_WITH_DIGIT}|[^\s'"\x60,;(){}<>$]{6,})`,
      'gi',
    ),
    accept: (value, after) => isAssignable(value) && !/^[(){}<>$]/.test(after),
  },
  {
    pattern: new RegExp(
      String.raw`(?<keep>(?<!unexpected )token${ASSIGNED})(?:${QUOTED_WITH_DIGIT}|[^\s'"\x60,;(){}<>$]{6,})`,
      'gi',
    ),
    accept: (value, after) =>
      isToken(value) && !/^[a-z]{1,10}\d{1,3}$/i.test(value) && !/^[(){}<>$]/.test(after),
  },
]

/** Last, because what a value looks like depends on the keys in it. */
export const lateAssignedGroups: readonly ShapeGroup[] = [
  {
    words: ['='],
    gate: matches(/=(?<=(?:password|pwd|client_secret)=)/i),
    shapes: [
      // host=db user=app password=hunter, username=me,password=hunter, ?user=me&password=hunter
      {
        pattern: new RegExp(
          String.raw`(?<keep>(?:[?&]|[ ,;](?<=\b(?:host|port|user|username|dbname|user id|uid|sslmode)=[^\s;,=]{1,100}[ ,;]))(?:password|pwd|client_secret)=["']?)${VALUE}`,
          'gi',
        ),
        accept: isAssigned,
      },
    ],
  },
  {
    words: ['-'],
    gate: matches(/-(?:-|(?:store|key)?pass|token|secret|api|access)/i),
    shapes: options,
  },
  {
    words: ['=', ':'],
    gate: matches(
      /[:=](?<=(?:pass(?:word|wd|phrase)?|pwd|pw|secret|token|credential|key|key_base|_auth)\\?["'\x60*]{0,3}[ \t]{0,8}[:=])/i,
    ),
    shapes: assignments,
  },
]

/** Values in a place for a password, where even ordinary words may be one. */
export const assignedGroups: readonly ShapeGroup[] = [
  {
    words: ['='],
    gate: matches(
      /=(?<=(?:pass(?:word|wd|phrase)?|pwd|secret|token|key|key_base|_pat|_auth|psk|sess(?:ion)?id|\.sid)=)/i,
    ),
    shapes: variables,
  },
  { words: ['-'], gate: matches(/-(?:-|(?:store|key)?pass)/i), shapes: quotedOptions },
  { words: ['set', '$env:'], shapes: settings },
  { words: ['machine '], shapes: netrc },
  {
    words: ["'", '"'],
    gate: matches(/['"](?<=(?:by|password|string|=)\s['"])/i),
    shapes: [
      // IDENTIFIED BY 'hunter'
      {
        pattern: new RegExp(
          String.raw`(?<keep>\b(?:IDENTIFIED\s(?:WITH\s[\w"']{1,40}\s)?BY|(?:WITH|SET|ENCRYPTED)\sPASSWORD|(?:CREATE|ALTER)\s(?:ROLE|USER)\s\S{1,80}\s(?:\w{1,20}\s){0,5}PASSWORD|(?:WITH|SET)\sPASSWORD\s=|SET\sPASSWORD\sFOR\s\S{1,80}\s=|ConvertTo-SecureString(?:\s-String)?)\s["'])(?:${QUOTED})`,
          'gi',
        ),
        accept: isLiteral,
      },
    ],
  },
  {
    words: ['|'],
    gate: matches(/-stdin|sudo\s|passwd|--with-token|secret|kinit|cryptsetup/),
    shapes: [
      // echo hunter2 | docker login --password-stdin
      {
        pattern: new RegExp(
          String.raw`(?<keep>\b(?:echo|printf)\s(?:-\w{1,3}\s)?["']?)${VALUE}(?=["']?\s?\|\s?[^|;&\n]{0,100}?(?:-stdin|sudo\s(?:-\w+\s){0,3}-\w{0,3}S|chpasswd|--with-token|secrets?\s(?:put|set|create|versions\sadd)\s|(?:smb)?passwd\s|kinit\s|cryptsetup\s))`,
          'g',
        ),
        accept: isLiteral,
      },
    ],
  },
]

/** A call may have named arguments: user=me,password=read(). */
function isAssigned(value: string, after: string): boolean {
  return isLiteral(value) && !/^[(){}<>]/.test(after)
}
