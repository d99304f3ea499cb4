import { matchesOf, type Range, type Reading } from './readings.ts'
import { columnsOf, endOf, type Rule, shell, testsOf, valueAt } from './rules.ts'

/** Parts of the rules below. */
const parts: Readonly<Record<string, string>> = {
  MYSQL: String.raw`mysql(?:dump|admin|import|check|show|binlog|sh)?|mariadb(?:-\w{2,12})?`,
  LOGIN:
    '(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|az|oc|argocd|helm registry|expo) login',
  MONGO: 'mongo(?:sh|dump|restore|export|import|stat|top)?',
  REDIS: '(?:redis|valkey|keydb)-cli',
  QUOTE: `["']?`,
}

/**
 * Each rule has programs, what precedes the value in their arguments, and what the value must look like. Two spaces
 * separate them; `<NAME>` is one of the parts. Most of these options mean something else in other programs.
 */
const table = String.raw`
  # docker run --name curl -u 1000:1000 sets a user and a group.
  curl|https?|xh|etcdctl  (?:-[A-Za-z]{0,6}?[uUa]\s?|--(?:proxy-)?user[ =]|--auth[ =])<QUOTE>(?!\d{1,5}:\d{1,5}(?![^\s"']))[^\s"':]{0,100}:(?!//)  any
  # The key of an API as the user: curl -u a1b2c3: x
  curl  (?:-u\s?|--user[ =])<QUOTE>(?=\w{16,200}:(?![^\s"']))  generated
  curl  (?:-E\s?|--(?:proxy-)?cert[ =])<QUOTE>(?!pkcs11:)[^\s"':]{1,200}:(?![\\/])  password
  curl  (?:-b\s?|--cookie[ =])<QUOTE>[\w.-]{1,60}=  literal
  curl|wget|https?|xh  (?:(?:-[dF]|--data(?:-\w{1,10})?|--form(?:-string)?|--post-data)[ =]?)?<QUOTE>(?:pass(?:word|wd|phrase)?|pwd|client_secret)=  literal
  smbclient|rpcclient|smbget|net  (?:-U\s?|--user[ =])<QUOTE>[^\s"'%]{1,100}%  literal
  lftp  (?:-u\s?|--user[ =])<QUOTE>[^\s"',]{1,100},  literal
  <MYSQL>|7z[ar]?|rar|unrar  -h?p  no port
  create secret  --from-literal[ =]<QUOTE>[\w.-]{1,100}=  literal
  ssh-keygen  -[NP]\s?  password
  sshpass  -p  literal
  sshpass  -p\s(?=\S{4,200}\s(?:ssh|scp|sftp|rsync|sudo|git|ansible))  literal
  # A user before it shows that it is a command and not prose.
  <LOGIN>|<MONGO>|cqlsh|rdesktop|psexec(?:64)?|poetry publish|snowsql|altool|mqtt|mosquitto_(?:pub|sub)  (?:-u|--user(?:name)?)[ =]?\S{1,100}\s-(?:pw?|P)[ =]?  no port
  sshpass|twine|<LOGIN>|<MONGO>  -p[ =]?  password
  sqlcmd|bcp|zip|unzip|ipmitool|mosquitto_(?:pub|sub)|security import  -P\s?  password
  ldap(?:search|add|modify|delete|whoami|compare|passwd)  -[ws]\s?  password
  <REDIS>  (?:-a|--pass|AUTH|auth)\s  password
  snmp\w{2,12}  -[AX]\s  password
  gh secret set|az keyvault secret set|aws (?:secretsmanager|ssm)  (?:-b|--body|--value|--secret-string)[ =]  password
  openssl  -pass(?:in|out)?\s<QUOTE>pass:  any
  openssl (?:enc|aes-\S{1,20}|des\S{0,20})  -k\s  password
  openssl passwd  -(?:\d|apr1|salt\s\S{1,40})\s  password
  useradd|usermod  -p\s?  password
  security (?:unlock-keychain|create-keychain)  -p\s  password
  security add-(?:generic|internet)-password  -w\s  password
  caddy hash-password  --plaintext[ =]  password
  htpasswd  -\w{0,5}b\w{0,5}\s(?:\S{1,200}\s)?\S{1,100}\s  password

  # vault login hunter22, redis-cli auth hunter22: words instead of options.
  vault|cargo  login\s(?<=(?:vault|cargo)(?:\s{1,8}-\S{1,100}){0,3}\s{1,8}login\s)  password
  vault  (?:password|secret_id)=  literal
  ansible-vault  encrypt_string\s  password
  nmcli  (?:password|[\w.-]{0,40}\.psk)\s  password
  wpa_passphrase  (?:"[^"\n]{1,60}"|'[^'\n]{1,60}'|[^\s"'<>]{1,60})\s  password
  rabbitmqctl  (?:add_user|change_password|authenticate_user)\s\S{1,100}\s  password
  mysqladmin  password\s  last password
  bw  (?:login\s\S{1,100}|unlock)\s  last password
  ngrok  (?:config\sadd-)?authtoken\s  password
  (?:poetry|composer) config  (?:(?:pypi-token|github-oauth|gitlab-token)\.\S{1,60}|http-basic\.\S{1,60}\s\S{1,100})\s  password
  dotnet user-secrets  set\s\S{1,100}\s  password
  (?:fly|flyctl|supabase) secrets  (?:set\s|(?<=[\w"']\s))<QUOTE>[A-Z][A-Z\d_]{0,60}=  literal
  bundle config  [\w.-]{1,100}\s[\w.@-]{1,60}:  password
  mc  (?:alias\sset|config\shost\sadd)\s\S{1,60}\s\S{1,200}\s\S{1,60}\s  password
  # net use Z: \\host\share /user:me hunter2, net user me hunter2 /add
  net  (?:use\s[^\n]{1,200}?/user:\S{1,100}\s|user\s[\w.-]{1,60}\s)  password
  [xw]l?freerdp|cmdkey  <QUOTE>/(?:p|pass|password):  literal
  # sqlplus scott/tiger@db: the name of the database may follow. A word further on may be a path in a sentence.
  sqlplus|sqlldr|expdp|impdp|rman  (?:userid=|(?<=(?:sqlplus|sqlldr|expdp|impdp|rman|target|-[A-Za-z](?:\s(?:"[^"\n]{0,100}"|'[^'\n]{0,100}'))?)\s))<QUOTE>[A-Za-z][\w$#]{0,30}/  literal, no script
  # echo hunter2 | docker login --password-stdin
  echo|printf  (?<=(?:echo|printf)\s)(?:-\w{1,3}\s)?  literal, piped into a login
`

/**
 * The rest of a command: up to its end, the end of a sentence or of a code span. The options of a program mean nothing
 * behind that: `-p8080` is a port.
 */
const REST =
  /\s(?:\\[\s\S]|[^|;&\n\x60.'"\\]|\.(?!\s)|"(?:[^"\\\n]|\\.){0,300}"|'[^'\n]{0,300}'|["'\\])*/y

interface CommandRule extends Rule {
  readonly program: RegExp
}

interface Commands {
  readonly rules: readonly CommandRule[]
  /** Any of the programs. */
  readonly programs: RegExp
}

let commands: Commands | undefined

/** Where values are that programs take as arguments. */
export function argumentsIn(reading: Reading): Range[] {
  commands ??= commandsOf(columnsOf(table, parts))
  const { rules, programs } = commands
  const { text } = reading
  const found: Range[] = []
  // Where the last command ends that each rule has read.
  const read = new Map<CommandRule, number>()
  for (const [from] of matchesOf(programs, text)) {
    for (const rule of rules) {
      if (from < (read.get(rule) ?? 0)) continue
      const start = endOf(rule.program, text, from)
      const end = start === undefined ? undefined : endOf(REST, text, start)
      if (end === undefined) continue
      found.push(...valuesIn(reading, rule, [from, end]))
      read.set(rule, end)
    }
  }
  return found
}

function valuesIn(reading: Reading, rule: CommandRule, [from, end]: Range): Range[] {
  const command = reading.text.slice(from, end)
  const found: Range[] = []
  rule.place.lastIndex = 0
  while (rule.place.test(command)) {
    const value = valueAt(reading, from + rule.place.lastIndex, rule)
    if (!value) continue
    found.push(value)
    rule.place.lastIndex = value[1] - from
  }
  return found
}

/** Created on first use: many patterns, which few texts need. */
function commandsOf(rows: readonly string[][]): Commands {
  const names = rows.map(([programs = '']) => programs.replaceAll(' ', String.raw`\s{1,8}`))
  return {
    programs: new RegExp(String.raw`\b(?:${[...new Set(names)].join('|')})(?=\s)`, 'g'),
    rules: rows.map(([, option, looks], index) => ({
      program: new RegExp(String.raw`(?<![\w.-])(?:${names[index]})(?=\s)`, 'y'),
      place: new RegExp(String.raw`\s${option}["']?`, 'g'),
      read: shell,
      tests: testsOf(looks),
    })),
  }
}
