import {
  isGenerated,
  isInvented,
  isInWords,
  isNumberedName,
  matches,
  type ShapeGroup,
} from './secret-shape.ts'

const NAME = '(?:password|passwd|passphrase|secret|token|api_?key|access_?key|private_?key|_key)'

/** A value in quotes, without spaces. */
const VALUE = String.raw`[^\s"'\x60\\(){}<>$,;]`

/** Values in quotes in source code whose name is not directly before a colon or an equals sign. */
export const codeGroups: readonly ShapeGroup[] = [
  {
    words: ["'", '"'],
    gate: matches(/pass|secret|token|key|auth|login/i),
    shapes: [
      // os.environ['API_KEY'] = 'a1b2c3', os.getenv("API_KEY", "a1b2c3"), process.env.API_KEY ?? 'a1b2c3'
      {
        pattern: new RegExp(
          String.raw`(?<keep>${NAME}(?:["'\]]{1,3}\s?(?:=>?|,)|["'\]]{0,3}\s?(?:\|\||\?\?))\s?["'])${VALUE}{6,200}(?=["'])`,
          'gi',
        ),
        accept: (value) => isInvented(value) && !isNumberedName(value),
      },
      // process.env.DB_PASSWORD = 'hunter', ENV['DB_PASSWORD'] = 'hunter'
      {
        words: ['env'],
        pattern: new RegExp(
          String.raw`(?<keep>env(?:iron)?(?:\.|\[["'])\w{0,60}${NAME}(?:["']\])?\s?=\s?["'])${VALUE}{4,200}(?=["'])`,
          'gi',
        ),
        accept: isInWords,
      },
      // requests.get(url, auth=('me', 'hunter2')), smtp.login('me', 'hunter2')
      {
        words: ['auth', 'login'],
        pattern: new RegExp(
          String.raw`(?<keep>(?:\bauth=|login)\(["'][^"'\n]{1,80}["'],\s?["'])${VALUE}{4,200}(?=["'])`,
          'gi',
        ),
        accept: isInWords,
      },
    ],
  },
  {
    words: ['.password='],
    shapes: [
      // spring.datasource.password=hunter
      {
        pattern: new RegExp(
          String.raw`(?<keep>(?<![^\n])[\w-]{1,40}(?:\.[\w-]{1,40}){1,5}\.password=)${VALUE}{4,200}`,
          'gi',
        ),
        accept: (value, after) => /^(?:\r?\n|$)/.test(after) && isInWords(value),
      },
    ],
  },
  {
    words: ['://'],
    shapes: [
      // https://a1b2c3:x-oauth-basic@github.com
      {
        pattern: /(?<keep>:\/\/)\w{20,100}(?=:[^\s/@]{0,40}(?:@|$))/g,
        accept: isGenerated,
      },
    ],
  },
]
