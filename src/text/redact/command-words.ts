import { type CommandPart, commandShape, QUOTE, REDIS } from './command-shape.ts'
import {
  isLiteral,
  isNameOfValue,
  isPassword,
  type Shape,
  type ShapeGroup,
  VALUE,
} from './secret-shape.ts'

/** Words that precede a value for some programs. */
const words: readonly CommandPart[] = [
  {
    programs: 'vault|cargo',
    option: String.raw`login\s(?<=(?:vault|cargo)(?:\s{1,8}-\S{1,100}){0,3}\s{1,8}login\s)`,
    words: ['vault ', 'cargo '],
    accept: isPassword,
  },
  { programs: 'vault', option: '(?:password|secret_id)=', words: ['vault '] },
  { programs: REDIS, option: String.raw`(?:AUTH|auth)\s`, words: ['-cli '], accept: isPassword },
  {
    programs: 'ansible-vault',
    option: String.raw`encrypt_string\s`,
    words: ['_string '],
    accept: isPassword,
  },
  {
    programs: 'nmcli',
    option: String.raw`(?:password|[\w.-]{0,40}\.psk)\s`,
    words: ['nmcli '],
    accept: isPassword,
  },
  {
    programs: 'wpa_passphrase',
    option: String.raw`(?:"[^"\n]{1,60}"|'[^'\n]{1,60}'|[^\s"'<>]{1,60})\s`,
    words: ['wpa_passphrase '],
    accept: isPassword,
  },
  {
    programs: 'rabbitmqctl',
    option: String.raw`(?:add_user|change_password|authenticate_user)\s\S{1,100}\s`,
    words: ['rabbitmqctl '],
    accept: isPassword,
  },
  {
    programs: 'mysqladmin',
    option: String.raw`password\s`,
    words: ['mysqladmin '],
    accept: isLastPassword,
  },
  {
    programs: 'bw',
    option: String.raw`(?:login\s\S{1,100}|unlock)\s`,
    words: ['bw '],
    accept: isLastPassword,
  },
  {
    programs: 'ngrok',
    option: String.raw`(?:config\sadd-)?authtoken\s`,
    words: ['ngrok '],
    accept: isPassword,
  },
  {
    programs: String.raw`(?:poetry|composer)\sconfig`,
    option: String.raw`(?:(?:pypi-token|github-oauth|gitlab-token)\.\S{1,60}|http-basic\.\S{1,60}\s\S{1,100})\s`,
    words: ['poetry ', 'composer '],
    accept: isPassword,
  },
  {
    programs: String.raw`dotnet\suser-secrets`,
    option: String.raw`set\s\S{1,100}\s`,
    words: ['user-secrets '],
    accept: isPassword,
  },
  {
    programs: String.raw`(?:fly|flyctl|supabase)\ssecrets`,
    option: String.raw`(?:set\s|(?<=[\w"']\s))${QUOTE}[A-Z][A-Z\d_]{0,60}=`,
    words: [' secrets set '],
  },
  {
    programs: String.raw`bundle\sconfig`,
    option: String.raw`[\w.-]{1,100}\s[\w.@-]{1,60}:`,
    words: ['bundle config '],
    accept: isPassword,
  },
  {
    programs: 'mc',
    option: String.raw`(?:alias\sset|config\shost\sadd)\s\S{1,60}\s\S{1,200}\s\S{1,60}\s`,
    words: ['mc '],
    accept: isPassword,
  },
  // net use Z: \\host\share /user:me hunter2, net user me hunter2 /add
  {
    programs: 'net',
    option: String.raw`(?:use\s[^\n]{1,200}?/user:\S{1,100}\s|user\s[\w.-]{1,60}\s)`,
    words: ['net use'],
    accept: isPassword,
  },
  {
    programs: '[xw]l?freerdp|cmdkey',
    option: `${QUOTE}/(?:p|pass|password):`,
    words: ['freerdp', 'cmdkey'],
  },
  // sqlplus scott/tiger@db: the name of the database may follow. A word further on may be a path in a sentence.
  {
    programs: 'sqlplus|sqlldr|expdp|impdp|rman',
    option: String.raw`(?:userid=|(?<=(?:sqlplus|sqlldr|expdp|impdp|rman|target|-[A-Za-z](?:\s(?:"[^"\n]{0,100}"|'[^'\n]{0,100}'))?)\s))${QUOTE}[A-Za-z][\w$#]{0,30}/`,
    words: ['sqlplus ', 'sqlldr ', 'expdp ', 'impdp ', 'rman '],
    accept: (value) => isLiteral(value) && !/\.(?:sql|par|ctl|rcv|md|sh)$/.test(value),
  },
]

let wordShapes: readonly Shape[] | undefined

export const commandWordGroups: readonly ShapeGroup[] = [
  {
    words: words.flatMap((one) => one.words),
    get shapes() {
      wordShapes ??= words.map(commandShape)
      return wordShapes
    },
  },
  {
    words: ['<<<'],
    shapes: [
      // sudo -S ls <<< hunter2
      {
        pattern: new RegExp(
          String.raw`(?<keep>(?:-stdin|sudo\s(?:-\w{1,20}\s){0,3}-\w{0,3}S|chpasswd|--with-token|secret\s(?:put|set|create)\s)[^|;&<\n]{0,100}<<<\s?["']?)${VALUE}`,
          'g',
        ),
        accept: isLiteral,
      },
    ],
  },
]

/** Whether the last word of a command is a password: `bw unlock re-enters the vault` is prose. */
function isLastPassword(value: string, after: string): boolean {
  const isLast = /^(?:$|["'\x60)\n|;&]|\s+(?:-|[|;&]))/.test(after)
  return isPassword(value, after) && !isNameOfValue(value) && (isLast || /\d/.test(value))
}
