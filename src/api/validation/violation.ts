import type { Shape } from './shape.ts'

/** What is wrong with a value itself, without looking at its items or fields. */
export function violationOf(shape: Shape, value: unknown): string | undefined {
  const { name, is, isNullable, enum: allowed, least, most } = shape
  if (value === null && isNullable) return undefined
  if (is && !is(value)) return `must be ${name}${isNullable ? ' or null' : ''}`
  if (allowed && !allowed.includes(value as string))
    return `must be ${allowed.map((one) => JSON.stringify(one)).join(' or ')}`
  const isNumber = typeof value === 'number'
  const size: number = isNumber ? value : Object(value).length
  if (size === 0 && least === 1 && !isNumber) return 'must not be empty'
  const must = isNumber ? 'must be at' : 'must have at'
  const unit = isNumber ? '' : typeof value === 'string' ? ' characters' : ' entries'
  if (size < Number(least)) return `${must} least ${least}${unit}`
  return size > Number(most) ? `${must} most ${most}${unit}` : undefined
}
