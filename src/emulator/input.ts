import type * as z from 'zod'
// Not z.core, which would bundle every locale.
import { toDotPath } from 'zod/v4/core'
import type { Endpoint } from '../api/endpoints/endpoint.ts'
import { issueInWords, valueAt } from '../text/zod-issue.ts'
import { parseBody } from './body.ts'
import { chosen } from './choices.ts'
import { Problem } from './reply.ts'

/** The inputs of a request, before they are checked against the endpoint table. */
interface RawInput {
  params: Record<string, string>
  query: URLSearchParams
  body: string
}

/** Path, query and body values as one flat object, checked with the schemas of the table. */
export function readInput(endpoint: Endpoint, raw: RawInput): Record<string, unknown> {
  const params = check(endpoint, 'path', endpoint.params, raw.params)
  const query = check(endpoint, 'query', endpoint.query, queryOf(endpoint, raw))
  const given = endpoint.body && parseBody(raw.body)
  // An undocumented body may be any JSON, such as a list.
  const values =
    endpoint.passthrough && (Array.isArray(given) || !Object.is(Object(given), given)) ? {} : given
  const body = check(endpoint, 'body', endpoint.body, values)
  // The path comes last: undocumented inputs must not replace it.
  return { ...query, ...body, ...params }
}

function queryOf(endpoint: Endpoint, { query, body }: RawInput) {
  if (!endpoint.query) return {}
  const { query: schema } = endpoint
  const entries = [...new Set(query.keys())].map((name): [string, unknown] => {
    const all = query.getAll(name)
    const field = inputName(endpoint, name)
    return [field, all.length > 1 ? all : numberIfWanted(schema, field, all[0] ?? '')]
  })
  const values = Object.fromEntries(entries)
  return endpoint.method === 'DELETE' ? { ...fromBody(schema, body), ...values } : values
}

function inputName({ wire = {} }: Endpoint, wireName: string) {
  const found = Object.entries(wire).find(([, name]) => name === wireName)
  if (found) return found[0]
  // An input with another name on the wire is unknown by its own name: the space keeps it from matching.
  return Object.hasOwn(wire, wireName) && wire[wireName] !== wireName ? ` ${wireName}` : wireName
}

/** A deletion may carry its inputs in the body instead. */
function fromBody(schema: z.ZodObject, body: string): Record<string, unknown> {
  const values = parseBody(body)
  if (typeof values !== 'object' || values === null) return {}
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => Object.hasOwn(schema.shape, name)),
  )
}

function numberIfWanted(schema: z.ZodObject, field: string, text: string): unknown {
  const wanted = Object.hasOwn(schema.shape, field) ? schema.shape[field] : undefined
  if (!wanted || !/^-?\d+(\.\d+)?$/.test(text) || wanted.safeParse(text).success) return text
  return Number(text)
}

function check(
  endpoint: Endpoint,
  place: string,
  schema: z.ZodObject | undefined,
  value: unknown,
): Record<string, unknown> {
  if (!schema) return {}
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const issues = error.issues.flatMap((issue) => describe(endpoint, place, issue, value))
  const [first] = issues
  const detail = first ? `${first.field}: ${first.message}` : `${place}: does not fit`
  throw new Problem(chosen.refusedInput.value, detail, { metadata: { issues } })
}

function describe({ wire = {} }: Endpoint, place: string, issue: z.core.$ZodIssue, value: unknown) {
  const wireNames = new Map(Object.entries(wire))
  const path = issue.path.map((key, index) =>
    index === 0 ? (wireNames.get(String(key)) ?? key) : key,
  )
  const fieldOf = (keys: readonly PropertyKey[]) => [place, toDotPath([...keys])].join('.')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: fieldOf([...path, key.trim()]),
      message: 'unknown property',
    }))
  }
  const message = issueInWords(issue, valueAt(value, issue.path))
  return [{ field: path.length > 0 ? fieldOf(path) : place, message }]
}
