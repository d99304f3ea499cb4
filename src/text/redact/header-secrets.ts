import { isGenerated, LITERAL, matches, type Shape, type ShapeGroup } from './secret-shape.ts'

/** In code, JSON and YAML the name and the value are in quotes of any kind. */
const AUTHORIZATION = String.raw`\bAuthorization\\?["']?\s?[:=]\s?\\?["'\x60]?`

/** A header that holds a secret. */
const NAME = String.raw`[\w-]{0,40}?(?:authorization|token|secret|password|(?:api|access|auth|subscription)[_-]?key)`

/** One of the parameters of `Digest` or `AWS4-HMAC-SHA256`. */
const PARAMETER = String.raw`[\w-]{1,40}=(?:"[^"\n]{0,300}"|[^\s"',=]{1,600})`

export const headerGroups: readonly ShapeGroup[] = [
  { words: ['-h'], shapes: optionShapes() },
  {
    words: ['authorization'],
    gate: matches(new RegExp(AUTHORIZATION, 'i')),
    shapes: [
      {
        pattern: new RegExp(
          String.raw`(?<keep>${AUTHORIZATION}[A-Za-z][\w-]{1,30}\s)${PARAMETER}(?:,\s?${PARAMETER}){0,12}`,
          'gi',
        ),
      },
      {
        pattern: new RegExp(
          String.raw`(?<keep>${AUTHORIZATION}(?:Bearer|Basic|Token)\s\x60?)${LITERAL}[^\s'"\x60,;]{6,}`,
          'gi',
        ),
      },
    ],
  },
  {
    shapes: [
      {
        words: ['bearer'],
        pattern: /(?<keep>\bBearer\s)[\w.~+/=-]{16,}/gi,
        accept: (value) => /\d/.test(value) && !/^[a-z]+(?:-(?:[a-z]+|\d+))+$/i.test(value),
      },
      {
        words: ['cookie'],
        pattern:
          /(?<keep>\b(?:Set-)?Cookie\\?["']?\s?[:=]\s?\\?["']?)[^\s=;,:"'\\]{1,80}=[^\s;,"'\\]+(?:;\s?[^\s=;,"'\\]{1,80}=[^\s;,"'\\]+){0,30}/gi,
        accept: (value) => /(?:^|;)[^;=]*=(?=[^;]*\d)[^;]{8}/.test(value),
      },
    ],
  },
]

/** Last, because what a value looks like depends on the keys in it. */
export const authorizationGroup: ShapeGroup = {
  words: ['authorization'],
  gate: matches(new RegExp(AUTHORIZATION, 'i')),
  shapes: [
    // A value without a scheme, or with an unknown one.
    {
      pattern: new RegExp(
        String.raw`(?<keep>${AUTHORIZATION}(?:[A-Za-z][A-Za-z-]{1,30}\s)?)[^\s'"\x60,;(){}<>$]{8,}`,
        'gi',
      ),
      accept: isGenerated,
    },
  ],
}

/** The option shows that it is a header, not prose, so the value may be an ordinary word. */
function optionShapes(): Shape[] {
  return ['"', "'", String.raw`\\"`].map((quote) => ({
    pattern: new RegExp(
      String.raw`(?<keep>\s(?:-H|--header)[ =]?${quote}${NAME}\s?:\s?(?:[a-z][\w-]{1,30}\s|(?![a-z][\w-]{1,30}\s)))${LITERAL}[^\s\\${quote.at(-1)}][^\n\\${quote.at(-1)}]{3,600}(?=${quote})`,
      'gi',
    ),
  }))
}
