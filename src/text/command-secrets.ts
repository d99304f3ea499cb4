import {
  isLiteral,
  isNoPort,
  isPassword,
  type Shape,
  type ShapeGroup,
  VALUE,
} from './secret-shape.ts'

/**
 * The rest of a command: up to its end, the end of a sentence or of a code span. The options of a program mean nothing
 * behind that: `-p8080` is a port.
 */
const REST = String.raw`\s(?:\\[\s\S]|[^|;&\n\x60.'"\\]|\.(?!\s)|"(?:[^"\\\n]|\\.){0,300}"|'[^'\n]{0,300}'|["'\\])*`

/** A quote, which is escaped if the command is in JSON. */
const QUOTE = String.raw`\\?["']?`

interface Option {
  /** Alternatives of program names. */
  readonly programs: string
  /** What precedes the value, without a quote. */
  readonly option: string
  readonly words: readonly string[]
  /** By default any literal. */
  readonly accept?: Shape['accept']
}

const MYSQL = String.raw`mysql(?:dump|admin|import|check|show|binlog|sh)?|mariadb(?:-\w{2,12})?`
const LOGIN = String.raw`(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|az|oc|argocd|helm\sregistry)\slogin`
const MONGO = 'mongo(?:sh|dump|restore|export|import|stat|top)?'
const REDIS = '(?:redis|valkey|keydb)-cli'

/** The options of programs that take a password, and are something else for other programs. */
const options: readonly Option[] = [
  {
    programs: 'curl|https?|xh',
    option: String.raw`(?:-[A-Za-z]{0,6}?[uUa]\s?|--(?:proxy-)?user[ =]|--auth[ =])${QUOTE}[^\s"':]{0,100}:(?!//)`,
    words: ['curl ', 'http ', 'https ', 'xh '],
    accept: isNoNumber,
  },
  {
    programs: 'curl',
    option: String.raw`(?:-b\s?|--cookie[ =])${QUOTE}[\w.-]{1,60}=`,
    words: ['curl '],
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
    programs: `${LOGIN}|${MONGO}`,
    option: String.raw`(?:-u|--user(?:name)?)[ =]?\S{1,100}\s+-p[ =]?`,
    words: [' login ', 'mongo'],
    accept: isNoPort,
  },
  {
    programs: `sshpass|twine|${LOGIN}|${MONGO}`,
    option: '-p[ =]?',
    words: ['sshpass', 'twine', ' login ', 'mongo'],
    accept: isPassword,
  },
  {
    programs: 'sqlcmd|bcp|zip|unzip|ipmitool|mosquitto_(?:pub|sub)',
    option: String.raw`-P\s?`,
    words: ['sqlcmd', 'bcp ', 'zip ', 'ipmitool', 'mosquitto_'],
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
    programs: 'htpasswd',
    option: String.raw`-\w{0,5}b\w{0,5}\s(?:\S{1,200}\s)?\S{1,100}\s`,
    words: ['htpasswd'],
    accept: isPassword,
  },
]

/** Words that precede a value for some programs. */
const words: readonly Option[] = [
  {
    programs: 'vault|cargo',
    option: String.raw`login\s`,
    words: ['vault login ', 'cargo login '],
    accept: isPassword,
  },
  { programs: 'vault', option: 'password=', words: ['vault '] },
  { programs: REDIS, option: String.raw`(?:AUTH|auth)\s`, words: ['-cli '], accept: isPassword },
  {
    programs: 'ansible-vault',
    option: String.raw`encrypt_string\s`,
    words: ['_string '],
    accept: isPassword,
  },
]

/** Checked first, because it takes a tenth of the time. */
const OPTION = /\s-[A-Za-z-]/
const PROGRAM = new RegExp(
  String.raw`(?<![\w.-])(?:${options.map(({ programs }) => programs).join('|')})\s`,
)

let optionShapes: readonly Shape[] | undefined

export const commandGroups: readonly ShapeGroup[] = [
  {
    gate: (text) => OPTION.test(text) && PROGRAM.test(text),
    // Created on first use: many patterns, which few texts need.
    get shapes() {
      optionShapes ??= options.map(shapeOf)
      return optionShapes
    },
  },
  { words: ['-cli ', 'vault ', 'cargo '], shapes: words.map(shapeOf) },
]

function shapeOf({ programs, option, words, accept = isLiteral }: Option): Shape {
  return {
    words,
    scope: new RegExp(String.raw`(?<![\w.-])(?:${programs})${REST}`, 'g'),
    pattern: new RegExp(String.raw`(?<keep>\s${option}${QUOTE})${VALUE}`, 'g'),
    accept,
  }
}

/** `docker run --name curl -u 1000:1000` sets a user and a group. */
function isNoNumber(value: string): boolean {
  return !/^\d{1,5}$/.test(value)
}
