import { isGenerated, isLiteral, matches, type ShapeGroup } from './secret-shape.ts'

/** Up to the next parameter. */
const PARAMETER = String.raw`[^\s&#"'\x60<>{}$()]`

/** Parameters of a URL: `?token=a1b2c3&q=x`. Each ends at the next, so that the rest stays readable. */
export const urlGroups: readonly ShapeGroup[] = [
  {
    words: ['='],
    gate: matches(/[?&#][\w.-]{0,60}=/),
    shapes: [
      {
        pattern: new RegExp(
          String.raw`(?<keep>[?&#](?:[\w.-]{0,40}[_.-])?(?:pass(?:word|wd|phrase)?|pwd|client_secret)=)${PARAMETER}{4,}`,
          'gi',
        ),
        accept: isLiteral,
      },
      {
        pattern: new RegExp(
          String.raw`(?<keep>[?&#](?:[\w.-]{0,40}[_.-])?(?:token|secret|(?:api|access|auth|private|subscription)[_-]?key)=)${PARAMETER}{6,}`,
          'gi',
        ),
        accept: (value) => isLiteral(value) && /\d/.test(value),
      },
      // These names also mean something else: ?code=404, ?key=created_at
      {
        pattern: new RegExp(
          `(?<keep>[?&#](?:key|code|auth|jwt|sid|session|ticket|signature|X-(?:Amz|Goog)-(?:Signature|Security-Token))=)${PARAMETER}{12,}`,
          'gi',
        ),
        // Text, such as a program, is encoded.
        accept: (value) => isGenerated(value) && !/%(?!2[BF]|3D)/i.test(value),
      },
    ],
  },
]
