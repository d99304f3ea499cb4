import type { Range, Reading } from './readings.ts'
import {
  ASCII_WORD,
  columnsOf,
  either,
  endOf,
  known,
  list,
  matching,
  quoted,
  quotedPassword,
  type Reader,
  type Rule,
  restOfQuoted,
  run,
  shell,
  shellWord,
  testsOf,
  upTo,
  valueAt,
  WORD,
} from './rules.ts'

/** In languages in which people write to agents. */
const PASSWORD =
  'password|passwort|passphrase|kennwort|mot de passe|contraseña|senha|wachtwoord|hasło|пароль|パスワード|密码|密碼|비밀번호'

const END = String.raw`(?![a-z\d_])`
/** The last word of each name that a rule knows, ordered by letters, because that takes half the time. */
const NAMES = new RegExp(
  [
    `p(?:ass(?:wor[dt]|phrase|(?:wd|code)?${END})|(?:wd?|sk|at|in)${END})`,
    `s(?:ecret|ig(?:nature)?|ession(?:_?id)?|ess_?id|id|ecurestring(?: -string)?)${END}`,
    `(?:t(?:oken|icket|otp)|key(?:_base)?|c(?:redentials?|ode|ookie)|auth(?:orization)?)${END}`,
    String.raw`(?:bearer|jwt|otp|log ?in|identified\s(?:with\s[\w"']{1,40}\s)?by)${END}`,
    `<<<|kennwort|mot de passe|contraseña|senha|wachtwoord|hasło|пароль|パスワード|密码|密碼|비밀번호`,
  ].join('|'),
  'gi',
)

/** Parts of the rules below. */
const parts: Readonly<Record<string, string>> = {
  PASSWORD: `(?:${PASSWORD})`,
  PASS: 'pass(?:word|wd|phrase)?',
  KEY: '(?:api|access|secret|auth|account)[_-]?key',
  VARIABLE: String.raw`(?:PASSWORD|SSHPASS|(?<![A-Za-z_])PASS|PASSWD|_PWD|(?<![A-Za-z])PW|(?<!(?<![A-Za-z])<STAGE>)_PASS|PASSPHRASE|SECRET|TOKEN|(?:API|ACCESS|PRIVATE|SECRET)_?KEY|SECRET_KEY_BASE|(?<![A-Za-z\d])TF_VAR_\w{0,60}(?:password|secret|token|key))`,
  // A pass of a renderer or a compiler, such as `SHADOW_PASS`.
  STAGE:
    '(?:RENDER|SHADOW|DEPTH|LIGHT|LIGHTING|GEOMETRY|FORWARD|DEFERRED|POST|BLOOM|COLOR|BLIT|FIRST|SECOND|THIRD|MULTI|SINGLE|FINAL|EARLY|LATE|OPT|LLVM|MLIR|COMPILER|ANALYSIS|TRANSFORM|LOWERING)',
  CODE: '(?:password|passwd|passphrase|secret|token|api_?key|access_?key|private_?key|_key)',
  SHORT: String.raw`(?<![\w-])-(?:-[\w-]{0,40}?)?`,
  LONG: String.raw`(?<![\w-])--(?:[\w-]{0,40}-)?`,
  PARAMETER: String.raw`[?&#](?:[\w.-]{0,40}[_.-])?`,
  // The user in the line or the object before a password.
  USER: String.raw`(?<![A-Za-z])(?:user(?:_?name)?|login|e-?mail)<MARKS>[ \t]{0,3}[:=]<MARKS>[ \t]{0,3}<MARKS>[^\s"'\x60,;]{1,100}<MARKS>`,
  SESSION: String.raw`(?:JSESSIONID|PHPSESSID|ASP\.NET_SessionId|connect\.sid)`,
  MARKS: String.raw`["'\x60*]{0,4}`,
  // Between a name and its value: `"password": "`, `- **Token:** `, `secret => '`.
  ASSIGNED: String.raw`["'\x60*]{0,3}[ \t]{0,8}(?:=>|:=|[:=](?!:))\*{0,2}\s?["'\x60]?`,
  HEADER: String.raw`["']?\s?[:=]\s?["'\x60]?`,
  OF: String.raw`(?:\s(?:for|für|pour|of|von)\s(?:user\s)?[\w.@-]{1,40})?`,
  IS: String.raw`(?:\s?[:：]|\s?[は是는]|\s(?:is|was|to|ist|lautet|est|es|é|è)(?![a-zß]))(?:\s(?:now|set to|changed to|jetzt))?:?`,
  OPEN: String.raw`["'\x60*]{0,3}`,
}

/**
 * Each rule has the end of a name, what is between it and the value, how far the value extends, and what it must look
 * like. Two spaces separate them; `<NAME>` is one of the parts.
 */
const inOwnCase = String.raw`
  # export TOKEN="two words", PGPASSWORD=hunter psql
  <VARIABLE>  =["'\x60]?  variable  literal, no call
  # RAILS_MASTER_KEY=0a1b2c3d..., GITHUB_PAT=0a1b2c3d...
  (?<!(?:PUBLIC|CACHE|IDEMPOTENCY|PARTITION|SORT|SSH|HOST|GPG))_(?:KEY|PAT)  =["']?  shell  long, generated
  # BASIC_AUTH=me:hunter2
  [A-Z]_AUTH  =["']?[\w.@-]{1,60}:(?!//)  shell word  literal
  (?<![A-Za-z])psk  =["']?  shell  literal
  # NPM_CONFIG_OTP=123456 npm publish; LED_PIN is one of a chip.
  (?<![A-Za-z])(?:T?OTP|(?<![A-Z\d]_)PIN|(?:CARD|SIM|USER|ADMIN|SO|PIV|HSM|YUBIKEY|LOGIN|UNLOCK|SECURITY|PAIRING|ACCESS|BANK|PHONE)_PIN|PASSCODE|(?:MFA|2FA|TOKEN)_CODE)  =["'\x60]?  digits  one-time code
  # Set DB_PASSWORD to hunter2. API_KEY → 0a1b2c
  (?:PASSWORD|PASSWD|SECRET|TOKEN|_KEY|_PASS)  <OPEN>\s(?:to|is|was|→|->|=>)\s<OPEN>  ascii  invented, no name
  # DB_PASSWORD: hunter
  (?<![^\n])[ \t]{0,20}(?:-[ \t])?[A-Z][A-Z\d]{1,40}_(?:[A-Z\d]{1,40}_){0,4}(?:PASSWORD|PASSWD|PASS|PWD)  :[ \t]["']?  short ascii  in words, to the end of the line
  # #define WIFI_PASSWORD "hunter", storePassword 'hunter'
  (?:#define\s\w{0,40}(?:PASS(?:WORD|WD|PHRASE)?|PSK|PWD)|\b(?:store|key)Password)  \s{1,20}["']  quoted  in words
  # sudo -S ls <<< hunter2
  (?:-stdin|sudo\s(?:-\w{1,20}\s){0,3}-\w{0,3}S|chpasswd|--with-token|secret\s(?:put|set|create)\s)[^|;&<\n]{0,100}<<<  \s?["']?  shell  literal
  \bmachine\s\S{1,100}\s{1,8}login\s\S{1,100}\s{1,8}password  \s  shell word  any
`

const inAnyCase = String.raw`
  \b(?:export|local|readonly)\s\w{0,60}(?:password|passwd|passphrase|secret|token|key)  =["']  quoted  literal
  (?:\$env:\w{0,60}<VARIABLE>|\bset(?:x|\s-[a-z]{1,4})\s\w{0,60}<VARIABLE>)  (?:\s?=\s?|\s)["']  quoted  literal
  # --password=hunter, -Ddb.password=hunter, --from-literal=password=hunter, -e ansible_password=hunter
  (?<![\w-])-(?:-|D|(?:var|e|-from-literal|-extra-vars|-set|-env|-var)[ =]["']?)[\w.-]{0,60}?(?:password|passphrase|passwd|_pass)  =["']?  shell  literal
  # Server=db;User Id=sa;Password=two words;
  ;(?<==[^\s;=][^;=\n]{0,100};)\s?(?:password|pwd)  =  to semicolon  any
  \b<SESSION>  =  session  any

  # npm config set //host/:_authToken abc123, aws configure set aws_secret_access_key abc123
  \b(?:config|configure)\sset\s(?:--?[\w-]{1,40}\s){0,3}[\w./:@-]{0,200}?(?:password|passwd|token|secret|auth|key)  \s["']?  shell  password
  # IDENTIFIED BY 'hunter'
  \b(?:IDENTIFIED\s(?:WITH\s[\w"']{1,40}\s)?BY|(?:WITH|SET|ENCRYPTED)\sPASSWORD|(?:CREATE|ALTER)\s(?:ROLE|USER)\s\S{1,80}\s(?:\w{1,20}\s){0,5}PASSWORD|ConvertTo-SecureString(?:\s-String)?)  (?:\sFOR\s\S{1,80})?(?:\s=)?\s["']  quoted  literal

  # --password 'correct horse', -storepass "correct horse"
  (?<![\w-])-(?:-[\w-]{0,40}?|store|key)?<PASS>  [ =]["'](?!pass:)  quoted  literal
  (?<![\w-])--[\w-]{0,40}?(?:token|secret|(?:api|access|secret)[_-]?key)  [ =]["'](?!id=|[A-Za-z]{1,80}["'])  quoted  literal
  <SHORT>(?:password|passphrase|storepass|keypass)  [ =]["'\x60]?  word  assignable
  <SHORT>(?:token|bearer|secret|<KEY>)  [ =]["'\x60]?  word  token
  <LONG>(?:pass|passwd|passcode|pwd|pw)  [ =]["'\x60]?  word  assignable, no path
  # --user me --password hunter
  (?<![\w-])--?(?:[a-z]{0,20}-)?u(?:ser(?:-?name)?)?[ =](?!(?:and|or)\s)["']?[^\s"']{1,100}["']?\s{1,4}(?:\\\n\s{0,20})?--(?:[a-z]{0,20}-)?<PASS>  [ =]["'\x60]?  short word  literal
  # An ordinary word with nothing behind it but options. mysql takes a database there.
  (?<!\b(?:mysql|mariadb)[^|;&\n]{0,100})<LONG><PASS>  \s["'\x60]?  short word  last word
  (?<![\w-])-(?:store|key)pass  \s  shell word  literal, not about options
  (?<![\w-])--(?:[\w-]{0,40}-)?(?:t?otp|pin|passcode|(?:mfa|2fa|token)-code)  [ =]["'\x60]?  digits  one-time code

  # https://host/?token=a1b2c3&q=x
  <PARAMETER>(?:<PASS>|pwd|client_secret)  =  parameter  literal
  <PARAMETER>(?:token|secret|(?:api|access|auth|private|subscription)[_-]?key)  =  parameter  literal, with digit
  # These names also mean something else: ?code=404, ?key=created_at
  [?&#](?:key|code|auth|jwt|sid|session|ticket|signature|X-(?:Amz|Goog)-(?:Signature|Security-Token))  =  parameter  generated, encodes no text
  [?&]sig  =  signature  any
  # "user=me&password=two words"
  [?&](?:password|pwd|client_secret)  =  quoted parameter  literal
  # host=db user=app password=hunter, username=me,password=hunter
  [ ,;](?<=\b(?:host|port|user|username|dbname|user id|uid|sslmode)=[^\s;,=]{1,100}[ ,;])(?:password|pwd|client_secret)  =["']?  shell  literal, no call but $

  # curl -H "X-Api-Key: hunter": the option shows that it is a header, not prose, so the value may be an ordinary word.
  \s(?:-H|--header)[ =]?["'][\w-]{0,40}?(?:authorization|token|secret|password|(?:api|access|auth|subscription)[_-]?key)  \s?:\s?(?:[a-z][\w-]{1,30}\s|(?![a-z][\w-]{1,30}\s))  rest of quoted  any
  \bAuthorization  <HEADER>[A-Za-z][\w-]{1,30}\s  header parameters  any
  \bAuthorization  <HEADER>(?:Bearer|Basic|Token)\s\x60?(?![$<{]|%\w{1,100}%|\*{3}|\.\.\.|your[ _-])  header  any
  \bBearer  \s  key  bearer
  \bCookie  ["']?\s?[:=]\s?["']?(?!<SESSION>=)  cookies  cookies
  # A value without a scheme, or with an unknown one.
  \bAuthorization  <HEADER>(?:[A-Za-z][A-Za-z-]{1,30}\s)?  word  generated, not short

  # user: 'me', password: 'hunter': a user before it shows that it is a password.
  <USER>(?:[,;][^{}\n]{0,100}?)?[,;]?\s{0,20}<MARKS>(?:<PASS>|pwd)  <MARKS>[ \t]{0,3}[:=]<MARKS>[ \t]{0,3}["']  short ascii  in words, quoted
  <USER>[ \t]{0,3}\n[\s•-]{0,20}<MARKS>(?:<PASS>|pwd)  <MARKS>[ \t]{0,3}[:=]<MARKS>[ \t]{0,3}<MARKS>  short ascii  in words, to the end of the line
  (?<![\w-])(?:pass|pwd|pw)  ["']?\s?[:=]\s?["']  ascii  invented, quoted
  # spring.datasource.password=hunter
  (?<![^\n])[\w-]{1,40}(?:\.[\w-]{1,40}){1,5}\.password  =  short code  in words, to the end of the line

  # {"auths":{"host":{"auth":"bWU6aHVudGVy"}}}, //host/:_password=aHVudGVy
  (?<![\w-])auth  ["']?\s{0,3}:\s{0,20}["']?  base64  login in base64
  :_password  =  base64  any

  # os.environ['API_KEY'] = 'a1b2c3', os.getenv("API_KEY", "a1b2c3"), process.env.API_KEY ?? 'a1b2c3'
  <CODE>  (?:["'\]]{1,3}\s?(?:=>?|,)|["'\]]{0,3}\s?(?:\|\||\?\?))\s?["']  code  invented, no name, quoted
  env(?:iron)?(?:\.|\[["'])\w{0,60}<CODE>  (?:["']\])?\s?=\s?["']  short code  in words, quoted
  # requests.get(url, auth=('me', 'hunter2')), smtp.login('me', 'hunter2')
  (?:\bauth(?==)|login)  =?\(["'][^"'\n]{1,80}["'],\s?["']  short code  in words, quoted

  (?:password|passwd|passphrase|(?:ssh|become|sudo|db|smtp|mail)_?pass|(?<!existing|--)secret|credential|(?:api|access|account|private|secret|signing|encryption|auth|client|preshared|subscription)[_-]?key(?:_base)?|(?<!\w)_auth)  <ASSIGNED>  word or quoted  assignable, no call
  (?<!unexpected )token  <ASSIGNED>  word or quoted  token, no identifier, no call

  # The password is hunter2. Das Passwort lautet: Geheim123
  <PASSWORD>  <OF><IS>\s{0,2}["'\x60*„“「«]{0,3}  ascii  invented, no expression
  # Log in as admin with password hunter2.
  \b(?:with|and|using|use|the|new|old)\s(?:the\s)?password  \s<OPEN>  ascii  invented
  \bpassword  \s["'\x60]  ascii  invented
  # The password is "correct-horse": in quotes also without a digit.
  \bpassword  <OF>\s(?:is|was|to)(?:\s(?:now|set to|changed to))?:?\s["'\x60]  ascii  in words, quoted
  # Your API key is 0a1b2c3d4e5f6a7b. AWS Secret Access Key [None]: ...
  (?:\btoken|\bsecret|(?:API|access|secret|private|auth) key)  (?:\s\[[^\]\n]{0,20}\])?(?:\s?[:：]|\s(?:is|was|→|->|=>))?\s{1,2}<OPEN>(?!0x)  key  key
  (?:token|secret|key)  ：\s?  short key  generated
  # | DB_PASSWORD | hunter2 |
  \|[ \t*\x60]{0,3}[\w.-]{0,40}(?:password|passwort|passwd|passphrase|_pass|secret|token|api[_ -]?key)  [ \t*\x60]{1,60}\|[ \t*\x60]{1,3}  ascii  invented, no name, in a row
  # Log in with admin / hunter2. admin/auth2.ts is a file.
  \b(?:credentials?|log ?in)  \b[^\n/]{0,40}?[\s"'\x60:](?:[\w.@+-]{1,60}["'\x60]?\s/\s|(?:admin|root|demo|guest)/)["'\x60]?  ascii  invented, no file
  <(?:[\w.-]{0,40}?)(?:password|passphrase|passwd|secret|token|apikey)  >\s{0,20}  short ascii  in words, in an element
  # <add key="ClearTextPassword" value="hunter" />
  =["'][\w.-]{0,40}(?:password|secret|apikey)  ["']\svalue=["']  short ascii  in words
`

/** Without the next parameter. */
const WORD_OF_URL = `(?!&[\\w.-]{1,40}=)${WORD}`

const readers: Readonly<Record<string, Reader>> = {
  quoted,
  'rest of quoted': restOfQuoted,
  shell,
  'shell word': shellWord,
  variable: either(quoted, run(String.raw`[^\s'"\x60,;(){}<>$&|]`, 4)),
  'to semicolon': matching(/[^\s;"'(){}<>$=%[*][^;"'\n(){}<>$=]{3,100}(?=[;"'])/y),
  word: run(WORD_OF_URL, 6),
  'short word': run(WORD, 4, '(?!-)'),
  'word or quoted': either(quotedPassword, run(WORD_OF_URL, 6)),
  ascii: run(ASCII_WORD, 6),
  'short ascii': run(ASCII_WORD, 4),
  code: run(String.raw`[^\s"'\x60\\(){}<>$,;]`, 6),
  'short code': run(String.raw`[^\s"'\x60\\(){}<>$,;]`, 4),
  key: run(String.raw`[\w+/=.~-]`, 16),
  'short key': run(String.raw`[\w+/=.~-]`, 8),
  session: run(String.raw`[^\s'"\x60,;]`, 8),
  parameter: run(String.raw`[^\s&#"'\x60<>{}$()]`, 4),
  'quoted parameter': upTo(/&[\w.-]{1,40}=/, quoted),
  signature: run(String.raw`[\w%+/=.~-]`, 16),
  header: run(String.raw`[^\s'"\x60,;]`, 6),
  'header parameters': list(String.raw`[\w-]{1,40}=(?:"[^"\n]{0,300}"|[^\s"',=]{1,600})`, ','),
  cookies: list(String.raw`[^\s=;,:"'\\]{1,80}=[^\s;,"'\\]{1,4000}`, ';'),
  base64: matching(/[\w+/]{4,9000}={0,2}/y),
  digits: run(String.raw`\w`, 4),
}

/** Rules that tell capital letters apart, or not. */
interface Rules {
  readonly rules: readonly Rule[]
  /** Matches where the place of one of them begins: most names are just words of a sentence. */
  readonly any: RegExp
}

let allRules: readonly Rules[] | undefined

/** Where values are that follow a name for a secret. */
export function namedValuesIn(reading: Reading): Range[] {
  // Created on first use: many patterns, which few texts need.
  allRules ??= [rulesOf(inOwnCase, 'y'), rulesOf(inAnyCase, 'iy')]
  const found: Range[] = []
  NAMES.lastIndex = 0
  while (NAMES.test(reading.text)) {
    const name = NAMES.lastIndex
    const value = allRules.map((rules) => valueAfter(reading, name, rules)).find(Boolean)
    if (!value) continue
    found.push(value)
    NAMES.lastIndex = value[1]
  }
  return found
}

function valueAfter(reading: Reading, name: number, { rules, any }: Rules): Range | undefined {
  if (endOf(any, reading.text, name) === undefined) return undefined
  for (const rule of rules) {
    const start = endOf(rule.place, reading.text, name)
    const value = start === undefined ? undefined : valueAt(reading, start, rule)
    if (value) return value
  }
  return undefined
}

function rulesOf(table: string, flags: string): Rules {
  const rules = columnsOf(table, parts).map(([name, join, value, looks]) => ({
    place: new RegExp(`(?<=${name})${join}`, flags),
    read: known(readers, value),
    tests: testsOf(looks),
  }))
  return { rules, any: new RegExp(rules.map(({ place }) => place.source).join('|'), flags) }
}
