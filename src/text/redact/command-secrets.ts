import { type CommandPart, commandShape, QUOTE, REDIS } from './command-shape.ts'
import { isGenerated, isNoPort, isPassword, type Shape, type ShapeGroup } from './secret-shape.ts'

const MYSQL = String.raw`mysql(?:dump|admin|import|check|show|binlog|sh)?|mariadb(?:-\w{2,12})?`
const LOGIN = String.raw`(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|az|oc|argocd|helm\sregistry)\slogin`
const MONGO = 'mongo(?:sh|dump|restore|export|import|stat|top)?'

/** Options that take a password in these programs, and mean something else in others. */
const options: readonly CommandPart[] = [
  // `docker run --name curl -u 1000:1000` sets a user and a group.
  {
    programs: 'curl|https?|xh|etcdctl',
    option: String.raw`(?:-[A-Za-z]{0,6}?[uUa]\s?|--(?:proxy-)?user[ =]|--auth[ =])${QUOTE}(?!\d{1,5}:\d{1,5}(?![^\s"']))[^\s"':]{0,100}:(?!//)`,
    words: ['curl ', 'http ', 'https ', 'xh ', 'etcdctl '],
    accept: () => true,
  },
  // The key of an API as the user: curl -u a1b2c3: x
  {
    programs: 'curl',
    option: String.raw`(?:-u\s?|--user[ =])${QUOTE}(?=\w{16,200}:(?![^\s"']))`,
    words: ['curl '],
    accept: isGenerated,
  },
  {
    programs: 'curl',
    option: String.raw`(?:-E\s?|--(?:proxy-)?cert[ =])${QUOTE}(?!pkcs11:)[^\s"':]{1,200}:(?![\\/])`,
    words: ['curl '],
    accept: isPassword,
  },
  {
    programs: 'curl',
    option: String.raw`(?:-b\s?|--cookie[ =])${QUOTE}[\w.-]{1,60}=`,
    words: ['curl '],
  },
  {
    programs: 'curl|wget|https?|xh',
    option: String.raw`(?:(?:-[dF]|--data(?:-\w{1,10})?|--form(?:-string)?|--post-data)[ =]?)?${QUOTE}(?:pass(?:word|wd|phrase)?|pwd|client_secret)=`,
    words: ['pass', 'pwd=', 'client_secret='],
  },
  {
    programs: 'smbclient|rpcclient|smbget|net',
    option: String.raw`(?:-U\s?|--user[ =])${QUOTE}[^\s"'%]{1,100}%`,
    words: ['%'],
  },
  {
    programs: 'lftp',
    option: String.raw`(?:-u\s?|--user[ =])${QUOTE}[^\s"',]{1,100},`,
    words: ['lftp '],
  },
  { programs: MYSQL, option: '-p', words: ['mysql', 'mariadb'], accept: isNoPort },
  { programs: '7z[ar]?|rar|unrar', option: '-h?p', words: ['7z', 'rar '], accept: isNoPort },
  {
    programs: String.raw`create\ssecret`,
    option: String.raw`--from-literal[ =]${QUOTE}[\w.-]{1,100}=`,
    words: ['--from-literal'],
  },
  {
    programs: 'ssh-keygen',
    option: String.raw`-[NP]\s?`,
    words: ['ssh-keygen'],
    accept: isPassword,
  },
  { programs: 'sshpass', option: '-p', words: ['sshpass'] },
  {
    programs: 'sshpass',
    option: String.raw`-p\s(?=\S{4,200}\s+(?:ssh|scp|sftp|rsync|sudo|git|ansible))`,
    words: ['sshpass'],
  },
  // A user before it shows that it is a command and not prose.
  {
    programs: String.raw`${LOGIN}|${MONGO}|cqlsh|rdesktop|psexec(?:64)?|expo\slogin|poetry\spublish|snowsql|altool|mqtt|mosquitto_(?:pub|sub)`,
    option: String.raw`(?:-u|--user(?:name)?)[ =]?\S{1,100}\s+-(?:pw?|P)[ =]?`,
    words: [
      ' login ',
      'mongo',
      'cqlsh',
      'rdesktop',
      'psexec',
      'poetry',
      'snowsql',
      'altool',
      'mqtt ',
      'mosquitto_',
    ],
    accept: isNoPort,
  },
  {
    programs: `sshpass|twine|${LOGIN}|${MONGO}`,
    option: '-p[ =]?',
    words: ['sshpass', 'twine', ' login ', 'mongo'],
    accept: isPassword,
  },
  {
    programs: String.raw`sqlcmd|bcp|zip|unzip|ipmitool|mosquitto_(?:pub|sub)|security\simport`,
    option: String.raw`-P\s?`,
    words: ['sqlcmd', 'bcp ', 'zip ', 'ipmitool', 'mosquitto_', 'security import'],
    accept: isPassword,
  },
  {
    programs: 'ldap(?:search|add|modify|delete|whoami|compare|passwd)',
    option: String.raw`-[ws]\s?`,
    words: ['ldap'],
    accept: isPassword,
  },
  {
    programs: REDIS,
    option: String.raw`(?:-a|--pass)\s`,
    words: ['-cli '],
    accept: isPassword,
  },
  {
    programs: String.raw`snmp\w{2,12}`,
    option: String.raw`-[AX]\s`,
    words: ['snmp'],
    accept: isPassword,
  },
  {
    programs: String.raw`gh\ssecret\sset|az\skeyvault\ssecret\sset|aws\s(?:secretsmanager|ssm)`,
    option: '(?:-b|--body|--value|--secret-string)[ =]',
    words: ['secret', ' ssm '],
    accept: isPassword,
  },
  {
    programs: 'openssl',
    option: String.raw`-pass(?:in|out)?\s${QUOTE}pass:`,
    words: ['pass:'],
  },
  {
    programs: String.raw`openssl\s(?:enc|aes-\S{1,20}|des\S{0,20})`,
    option: String.raw`-k\s`,
    words: ['openssl '],
    accept: isPassword,
  },
  { programs: 'useradd|usermod', option: String.raw`-p\s?`, words: ['user'], accept: isPassword },
  {
    programs: String.raw`security\s(?:unlock-keychain|create-keychain)`,
    option: String.raw`-p\s`,
    words: ['-keychain'],
    accept: isPassword,
  },
  {
    programs: String.raw`openssl\spasswd`,
    option: String.raw`-(?:\d|apr1|salt\s\S{1,40})\s`,
    words: ['openssl passwd '],
    accept: isPassword,
  },
  {
    programs: String.raw`caddy\shash-password`,
    option: '--plaintext[ =]',
    words: ['--plaintext'],
    accept: isPassword,
  },
  {
    programs: String.raw`security\sadd-(?:generic|internet)-password`,
    option: String.raw`-w\s`,
    words: ['security add-'],
    accept: isPassword,
  },
  {
    programs: 'htpasswd',
    option: String.raw`-\w{0,5}b\w{0,5}\s(?:\S{1,200}\s)?\S{1,100}\s`,
    words: ['htpasswd'],
    accept: isPassword,
  },
]

/** Checked first, because it takes a tenth of the time. */
const OPTION = /\s-[\w-]|\s\\?["']?(?:pass|pwd|client_secret)/
const PROGRAM = new RegExp(
  String.raw`(?<![\w.-])(?:${options.map(({ programs }) => programs).join('|')})\s`,
)

let optionShapes: readonly Shape[] | undefined

export const commandGroups: readonly ShapeGroup[] = [
  {
    gate: (text) => OPTION.test(text) && PROGRAM.test(text),
    // Created on first use: many patterns, which few texts need.
    get shapes() {
      optionShapes ??= options.map(commandShape)
      return optionShapes
    },
  },
]
