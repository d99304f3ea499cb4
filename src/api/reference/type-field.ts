import { isSafeBound, type Json } from './json-schema.ts'

/** One field of an interface, with its JSDoc. */
export function printField(
  name: string,
  type: string,
  schema: Json,
  isRequired: boolean,
  isInput: boolean,
): string {
  // Allows an explicit `undefined`, also under `exactOptionalPropertyTypes`.
  const value = isInput && !isRequired && type !== 'unknown' ? `${type} | undefined` : type
  return `${docOf(schema)}  ${name}${isRequired ? '' : '?'}: ${value}\n`
}

const tags: readonly [keyword: string, tag: string][] = [
  ['minimum', '@minimum'],
  ['exclusiveMinimum', '@exclusiveMinimum'],
  ['maximum', '@maximum'],
  ['minLength', '@minLength'],
  ['maxLength', '@maxLength'],
  ['minItems', '@minItems'],
  ['maxItems', '@maxItems'],
  ['format', '@format'],
  ['default', '@default'],
]

function docOf(schema: Json): string {
  const variants = (schema.anyOf as Json[] | undefined) ?? []
  const limits: Json = { ...variants[0], ...schema }
  const known = tags.flatMap(([keyword, tag]) => {
    const value = limits[keyword]
    const isKnown = value !== undefined && !isSafeBound(value)
    return isKnown && !saysNothing(keyword, value) ? [`${tag} ${String(value)}`] : []
  })
  const text = [limits.description ? `${limits.description}.` : '', ...known].filter(Boolean)
  return text.length > 0 ? `  /** ${text.join(' ')} */\n` : ''
}

function saysNothing(keyword: string, value: unknown): boolean {
  return keyword === 'minLength' && value === 1
}
