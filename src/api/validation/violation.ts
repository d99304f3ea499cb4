import type { Shape } from './shape.ts'

/** What is wrong with a value itself, apart from what is in it. */
export function violationOf(shape: Shape, value: unknown): string | undefined {
  const { name, is, isNullable, enum: allowed, not } = shape
  if (value === null && isNullable) return undefined
  if (is && !is(value)) return `must be ${name}${isNullable ? ' or null' : ''}`
  if (allowed && !allowed.includes(value as string))
    return `must be ${allowed.map(quote).join(' or ')}`
  if (not?.includes(value as string)) return `must not be ${quote(value)}`
  return typeof value === 'number'
    ? rangeViolation(shape, value, 'must be at', '')
    : sizeViolation(shape, value)
}

const quote = (value: unknown) => JSON.stringify(value)

function sizeViolation(shape: Shape, value: unknown) {
  const unit = typeof value === 'string' ? ' characters' : ' entries'
  const { length } = Object(value)
  if (length === 0 && shape.least === 1) return 'must not be empty'
  return rangeViolation(shape, length, 'must have at', unit)
}

function rangeViolation({ least, most }: Shape, size: number, must: string, unit: string) {
  if (size < Number(least)) return `${must} least ${least}${unit}`
  return size > Number(most) ? `${must} most ${most}${unit}` : undefined
}
