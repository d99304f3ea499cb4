import type * as z from 'zod'

type Issue = z.core.$ZodIssue

/** Names of choices are short; a longer text may be a secret that was put in the wrong place. */
const LONGEST_NAME = 32

const ZOD_SAYS = 'Invalid input'

/** Describes a validation error in plain words. */
export function issueInWords(issue: Issue, value: unknown): string {
  if (value === undefined && issue.code !== 'custom') return 'is missing'
  switch (issue.code) {
    case 'invalid_type':
      return mustBe(withArticle(issue.expected), value)
    case 'invalid_value':
      return `must be ${anyOf(issue.values.map((one) => JSON.stringify(one)))}, not ${show(value)}`
    case 'too_small':
      return tooSmall(issue, value)
    case 'too_big':
      return tooBig(issue, value)
    case 'custom':
    case 'invalid_format':
      return issue.message
    case 'invalid_union':
      // A union of ours says what it expects; zod alone only that the input is wrong.
      return issue.message === ZOD_SAYS ? mustNotBe(value) : issue.message
    default:
      return mustNotBe(value)
  }
}

function mustNotBe(value: unknown): string {
  return `must not be ${describeType(value)}`
}

/** The value at a path; undefined if there is no such path. */
export function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value = raw
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}

/** A value that should be a text, before it is validated. An object of a parsed file cannot be converted to one. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A value for an error message: a short text in quotes, of anything else the type. */
export function show(value: unknown): string {
  const isName = typeof value === 'string' && value.length <= LONGEST_NAME
  return isName ? `"${value}"` : describeType(value)
}

/** Such as `a string`; for a value that cannot be a secret, the value itself. */
function describeType(value: unknown): string {
  if (value === null || typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return String(value)
  return withArticle(Array.isArray(value) ? 'array' : typeof value)
}

function tooSmall({ minimum, inclusive }: Extract<Issue, { code: 'too_small' }>, value: unknown) {
  if (typeof value === 'string' || Array.isArray(value)) {
    return Number(minimum) === 1
      ? 'must not be empty'
      : `must have at least ${minimum} ${unitOf(value)}`
  }
  return mustBe(inclusive === false ? `more than ${minimum}` : `at least ${minimum}`, value)
}

function tooBig({ maximum }: Extract<Issue, { code: 'too_big' }>, value: unknown) {
  if (typeof value === 'string' || Array.isArray(value)) {
    return `must have at most ${maximum} ${unitOf(value)}, not ${value.length}`
  }
  return mustBe(`at most ${maximum}`, value)
}

function unitOf(value: string | readonly unknown[]) {
  return typeof value === 'string' ? 'characters' : 'entries'
}

/** Such as `must be a string, not 7`. A value that could be a secret is not repeated. */
export function mustBe(what: string, value: unknown): string {
  return `must be ${what}, not ${describeType(value)}`
}

function anyOf(choices: readonly string[]): string {
  if (choices.length < 2) return choices.join('')
  return `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}

function withArticle(type: string): string {
  if (type === 'boolean') return 'true or false'
  const word = type === 'record' ? 'object' : type === 'int' ? 'whole number' : type
  return `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`
}
