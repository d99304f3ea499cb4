import {
  isAssignable,
  isLiteral,
  isNameOfValue,
  isToken,
  QUOTED,
  type Shape,
  WORD,
} from './secret-shape.ts'

/** Options of any program, with a value in quotes. */
export const quotedOptions: readonly Shape[] = [
  // --password 'correct horse', -storepass "correct horse"
  {
    pattern: new RegExp(
      String.raw`(?<keep>(?<![\w-])-(?:-[\w-]{0,40}?|store|key)?pass(?:word|wd|phrase)?[ =]\\?["'])(?:${QUOTED})`,
      'gi',
    ),
    accept: isLiteral,
  },
  {
    pattern: new RegExp(
      String.raw`(?<keep>(?<![\w-])--[\w-]{0,40}?(?:token|secret|(?:api|access|secret)[_-]?key)[ =]\\?["'](?!id=|[A-Za-z]+["'\\]))(?:${QUOTED})`,
      'gi',
    ),
    accept: isLiteral,
  },
]

/** What follows an option in a sentence. */
const ABOUT_OPTIONS =
  /^(?:instead|takes?|with|from|when|then|that|this|must|should|will|would|could|were|have|needs?|requires?|options?|flags?|arguments?|parameters?|value|field|only|also|here|again|asks?|works?|sets?|reads?|accepts?|expects?|exists?|fails?|appears|supports?|deprecated|missing|string|correctly|explicitly)$/i

export const options: readonly Shape[] = [
  {
    pattern:
      /(?<keep>(?<![\w-])-(?:-[\w-]{0,40}?)?(?:password|passphrase|storepass|keypass)[ =]["'`]?)[^\s'"`,;(){}<>$]{6,}/gi,
    accept: isAssignable,
  },
  {
    pattern:
      /(?<keep>(?<![\w-])-(?:-[\w-]{0,40}?)?(?:token|bearer|secret|(?:api|access|secret|auth|account)[_-]?key)[ =]["'`]?)[^\s'"`,;(){}<>$]{6,}/gi,
    accept: isToken,
  },
  {
    pattern:
      /(?<keep>(?<![\w-])--(?:[\w-]{0,40}-)?(?:pass|passwd|passcode|pwd|pw)[ =]["'`]?)[^\s'"`,;(){}<>$]{6,}/gi,
    accept: (value) => isAssignable(value) && !value.includes('/'),
  },
  // --user me --password hunter
  {
    words: ['pass'],
    pattern:
      /(?<keep>(?<![\w-])--?(?:[a-z]{0,20}-)?u(?:ser(?:-?name)?)?[ =](?!(?:and|or)\s)["']?[^\s"']{1,100}["']?\s{1,4}(?:\\\n\s{0,20})?--(?:[a-z]{0,20}-)?pass(?:word|wd|phrase)?[ =]["'`]?)[^\s'"`,;(){}<>$-][^\s'"`,;(){}<>$]{3,}/gi,
    accept: isLiteral,
  },
  // An ordinary word with nothing behind it but options. mysql takes a database there.
  {
    words: ['pass'],
    pattern:
      /(?<keep>(?<![\w-])--(?:[\w-]{0,40}-)?pass(?:word|wd|phrase)?(?<!\b(?:mysql|mariadb)[^|;&\n]{0,100})\s["'`]?)[^\s'"`,;(){}<>$-][^\s'"`,;(){}<>$]{3,}/gi,
    accept: isLastWord,
  },
  {
    words: ['-storepass ', '-keypass '],
    pattern: new RegExp(String.raw`(?<keep>(?<![\w-])-(?:store|key)pass\s)${WORD}`, 'g'),
    accept: (value) => isLiteral(value) && !ABOUT_OPTIONS.test(value),
  },
]

/** `--password takes a word` is prose. */
function isLastWord(value: string, after: string): boolean {
  if (
    /^[A-Z_]+$|[.:?]$|:\/\//.test(value) ||
    ABOUT_OPTIONS.test(value) ||
    isNameOfValue(value) ||
    !isLiteral(value)
  )
    return false
  return /^(?:$|["'`)\n|;&]|\s+(?:-|[|;&]|\\?\n))/.test(after)
}
