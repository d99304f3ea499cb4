import fc from 'fast-check'

const SURROGATES = 0x800
const FIRST_SURROGATE = 0xd800
const CODE_POINTS = 0x110000 - SURROGATES

/**
 * Every character of Unicode, as a unit of fc.string. It has the values of the unit 'binary' and shrinks like it, but
 * needs no map of all million characters, which takes a second and 100 MB in each process.
 */
export const anyCharacter = fc.nat(CODE_POINTS - 1).map(toCharacter, toIndex)

function toCharacter(index: number): string {
  return String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES)
}

/** Throws for other values, as fast-check expects. */
function toIndex(value: unknown): number {
  const code = typeof value === 'string' ? value.codePointAt(0) : undefined
  const index = code === undefined || code < FIRST_SURROGATE ? code : code - SURROGATES
  if (index === undefined || toCharacter(index) !== value) throw new Error('not a character')
  return index
}
