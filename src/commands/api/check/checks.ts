import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { Endpoint } from '../../../api/endpoints/endpoint.ts'
import type { PageStyle } from '../../../api/operation.ts'
import { ErrorBody } from '../../../api/reference/openapi.ts'
import { issueInWords, valueAt } from '../../../text/zod-issue.ts'
import type { Answer, Ask, Input } from './ask.ts'
import { allowedCases, type Case, refusedCases } from './cases.ts'

/** What a service did against a rule. */
export interface Problem {
  came: string
  rule: string
}

/** One thing that the table of endpoints says, and how to find out whether a service does it. */
export interface Check {
  kind: 'response' | 'key' | 'unknown' | 'refused' | 'allowed' | 'pages'
  /** What is sent. */
  sent: string
  run(ask: Ask): Promise<Problem[]>
}

/** Everything that can be checked of an endpoint. @param input one that the service accepts */
export function checksOf(endpoint: Endpoint, input: Input): Check[] {
  const refused = refusedCases(endpoint).filter((one) => isRefusedOnWire(endpoint, one))
  const allowed = allowedCases(endpoint).filter((one) => isSendable(endpoint, one))
  return [
    ...responseChecks(endpoint, input),
    keyCheck(endpoint, input),
    ...unknownChecks(endpoint, input),
    ...[...refused, ...strictCases(endpoint)].map((one) => refusedCheck(endpoint, input, one)),
    ...allowed.map((one) => allowedCheck(input, one)),
    ...pageChecks(endpoint, input),
  ]
}

/** Plain and grouped rows have other fields. */
function responseChecks(endpoint: Endpoint, { groupBy, ...input }: Input): Check[] {
  const dimension = endpoint.query?.shape.groupBy
  const groups = dimension ? [undefined, ...dimensionsOf(dimension)] : [undefined]
  return groups.map((group): Check => {
    const sent = group === undefined ? input : { ...input, groupBy: group }
    return {
      kind: 'response',
      sent: JSON.stringify(sent),
      run: async (ask) => responseProblems(endpoint, sent, await ask(sent)),
    }
  })
}

function dimensionsOf(schema: unknown): readonly unknown[] {
  const { enum: values = [] } = z.toJSONSchema(schema as z.ZodType) as { enum?: unknown[] }
  return values
}

const MOST_SHOWN = 10

function responseProblems(endpoint: Endpoint, input: Input, answer: Answer): Problem[] {
  const { success, response, groupedResponse } = endpoint
  const { status, body, isJson } = answer
  if (!success.includes(status)) {
    const rule = `a valid request is answered with ${success.join(' or ')}`
    return [{ came: describe(answer), rule }]
  }
  if (status === 204) return []
  if (!isJson) return [{ came: `${status}, not JSON`, rule: 'all responses are JSON' }]
  const schema = input.groupBy === undefined ? response : (groupedResponse ?? response)
  const { error } = schema.safeParse(body)
  return (error?.issues ?? []).slice(0, MOST_SHOWN).map((issue) => ({
    came: `${status}; ${fieldText(issue.path)} ${issueInWords(issue, valueAt(body, issue.path))}`,
    rule: `${fieldText(issue.path)}: ${descriptionAt(schema, issue.path)}`,
  }))
}

function fieldText(path: readonly PropertyKey[]): string {
  return (
    path
      .map((key) => (typeof key === 'number' ? '[]' : `.${String(key)}`))
      .join('')
      .replace(/^\./, '') || 'the response'
  )
}

interface Node {
  $ref?: string
  $defs?: Readonly<Record<string, Node>>
  description?: string
  items?: Node
  properties?: Readonly<Record<string, Node>>
  additionalProperties?: Node
}

/** What the table says about a field of a response. */
function descriptionAt(schema: z.ZodType, path: readonly PropertyKey[]): string {
  const root = z.toJSONSchema(schema, { io: 'output' }) as Node
  const resolve = (node: Node = {}): Node =>
    node.$ref ? (root.$defs?.[node.$ref.replace(/^.*\//, '')] ?? {}) : node
  let node = resolve(root)
  let found = node.description
  for (const key of path) {
    const { items, properties = {}, additionalProperties } = node
    const next = typeof key === 'number' ? items : (properties[String(key)] ?? additionalProperties)
    found = next?.description ?? found
    node = resolve(next)
  }
  return found ?? 'the response is an object'
}

function keyCheck(endpoint: Endpoint, input: Input): Check {
  return {
    kind: 'key',
    sent: 'a key that the service has not issued',
    async run(ask) {
      const answer = await ask(input, { isUnknown: true })
      if (answer.status === 401) return errorProblems(endpoint, answer)
      return [{ came: describe(answer), rule: 'a missing or invalid key is answered with 401' }]
    },
  }
}

/** A resource that nobody has. */
function unknownChecks(endpoint: Endpoint, input: Input): Check[] {
  if (!endpoint.params || !endpoint.errors[404]) return []
  const names = Object.keys(endpoint.params.shape)
  const change = Object.fromEntries(names.map((name) => [name, 'no-such-thing']))
  const rule = 'a resource that does not exist is answered with 404, or with 403'
  return [
    {
      kind: 'unknown',
      sent: JSON.stringify(change),
      async run(ask) {
        const answer = await ask({ ...input, ...change })
        const isRight = answer.status === 404 || answer.status === 403
        return isRight ? errorProblems(endpoint, answer) : [{ came: describe(answer), rule }]
      },
    },
  ]
}

/** Where the specification allows no further properties. */
function strictCases({ strictInput }: Endpoint): Case[] {
  if (!strictInput) return []
  const field = 'noSuchProperty'
  const rule = 'the body may have no other properties'
  return [{ field, title: `${field} 1`, rule, change: { [field]: 1 } }]
}

function refusedCheck(endpoint: Endpoint, input: Input, { title, change, rule }: Case): Check {
  return {
    kind: 'refused',
    sent: title,
    async run(ask) {
      const answer = await ask({ ...input, ...change })
      const { status } = answer
      const isExact = endpoint.errors[400] === 'specification'
      const isRefused = isExact ? status === 400 : status >= 400 && status < 500 && status !== 401
      if (isRefused) return errorProblems(endpoint, answer)
      const must = isExact ? '400' : 'a status from 400 to 499'
      return [{ came: describe(answer), rule: `${rule}; anything else is refused with ${must}` }]
    },
  }
}

function allowedCheck(input: Input, { title, change, rule }: Case): Check {
  return {
    kind: 'allowed',
    sent: title,
    async run(ask) {
      const answer = await ask({ ...input, ...change })
      // Nothing may have that ID or name, so a 404 is fine.
      const isWrong = [400, 401, 413, 414, 422].includes(answer.status) || answer.status >= 500
      return isWrong ? [{ came: describe(answer), rule: `${rule}; this value is allowed` }] : []
    },
  }
}

const BIG_PAGE = 100
const SMALL_PAGE = 2
const PAGES = 3

/** How often the pages are read while the list changes, as the messages of a working agent do. */
const PAGE_ATTEMPTS = 5

function pageChecks(endpoint: Endpoint, { limit, role, ...input }: Input): Check[] {
  const { page } = endpoint
  if (!page) return []
  return [
    {
      kind: 'pages',
      sent: `limit ${BIG_PAGE}, then ${PAGES} pages with limit ${SMALL_PAGE}`,
      async run(ask) {
        const readWhole = async () => itemsOf(page, (await ask({ ...input, limit: BIG_PAGE })).body)
        let problems: Problem[] = []
        for (let attempt = 0; attempt < PAGE_ATTEMPTS; attempt += 1) {
          const whole = await readWhole()
          problems = await pageProblems(endpoint, input, { page, whole, ask })
          if (problems.length === 0 || isDeepStrictEqual(whole, await readWhole())) break
        }
        return problems
      },
    },
  ]
}

/** What differs between a list in one piece and the same list in small pages. */
async function pageProblems(
  { wire = {} }: Endpoint,
  input: Input,
  { page, whole, ask }: { page: PageStyle; whole: readonly unknown[]; ask: Ask },
): Promise<Problem[]> {
  const rule = 'each item is on one page, whatever the size of the pages is'
  const parts: unknown[] = []
  let more: Input = {}
  for (let at = 0; at < PAGES; at += 1) {
    const answer = await ask({ ...input, limit: SMALL_PAGE, ...more })
    if (answer.status !== 200) return [{ came: describe(answer), rule }]
    parts.push(...itemsOf(page, answer.body))
    const cursor = cursorOf(page, answer.body)
    if (cursor === undefined) break
    more = { [page.cursor]: cursor }
  }
  const isSame = JSON.stringify(parts) === JSON.stringify(whole.slice(0, parts.length))
  const isEnough = parts.length >= Math.min(whole.length, SMALL_PAGE * PAGES)
  if (isSame && isEnough) return []
  const what = isSame ? `only ${parts.length} of ${whole.length} items` : 'other items'
  return [{ came: `${what}, with ${wire[page.cursor] ?? page.cursor} as the cursor`, rule }]
}

function itemsOf({ items }: PageStyle, body: unknown): unknown[] {
  const found = fieldAt(body, items)
  return Array.isArray(found) ? found : []
}

/** The cursor of the next page; undefined after the last one. */
function cursorOf({ next, hasMore }: PageStyle, body: unknown): string | undefined {
  const cursor = fieldAt(body, next)
  const isLast = hasMore !== undefined && fieldAt(body, hasMore) === false
  return typeof cursor === 'string' && !isLast ? cursor : undefined
}

function fieldAt(body: unknown, path: string): unknown {
  return path.split('.').reduce((value: unknown, name) => {
    return name === '-1' && Array.isArray(value) ? value.at(-1) : Object(value)[name]
  }, body)
}

/** Whether the body of an error is what the specification says. */
function errorProblems({ path }: Endpoint, answer: Answer): Problem[] {
  const { status, body, isJson } = answer
  const isStrict = path.startsWith('/api/v0/')
  const rule = `an error has detail, status and title${isStrict ? ', perhaps metadata, and nothing else' : ''}`
  if (!isJson) return [{ came: `${status}, not JSON`, rule }]
  const schema = isStrict ? ErrorBody() : z.looseObject(ErrorBody().shape)
  const [issue] = schema.safeParse(body).error?.issues ?? []
  if (issue?.code === 'unrecognized_keys')
    return [{ came: `${status}; ${issue.keys.join(', ')}: an unknown field`, rule }]
  if (issue) {
    const problem = issueInWords(issue, valueAt(body, issue.path))
    return [{ came: `${status}; ${fieldText(issue.path)} ${problem}`, rule }]
  }
  const { status: said } = Object(body)
  return said === status
    ? []
    : [{ came: `${status}; status is ${said}`, rule: 'status is the HTTP status code' }]
}

function describe({ status, body }: Answer): string {
  const { detail } = Object(body)
  return status >= 400 && typeof detail === 'string' ? `${status}: ${detail}` : String(status)
}

/** In a path and a query everything is text, so that some wrong types are right there, or cannot be sent. */
function isRefusedOnWire(endpoint: Endpoint, one: Case): boolean {
  const [value] = Object.values(one.change)
  if (isInBody(endpoint, one.field)) return true
  const isWrongType = typeof value === 'number' && !numberFields(endpoint).includes(one.field)
  return isSendable(endpoint, one) && !isWrongType && value !== '10'
}

function isSendable(endpoint: Endpoint, { field, change }: Case): boolean {
  const [value] = Object.values(change)
  if (isInBody(endpoint, field)) return true
  if (value === null) return false
  const isInPath = Object.hasOwn(endpoint.params?.shape ?? {}, field)
  return !isInPath || (value !== undefined && value !== '')
}

function isInBody({ body }: Endpoint, field: string): boolean {
  return Object.hasOwn(body?.shape ?? {}, field)
}

function numberFields({ params, query }: Endpoint): string[] {
  return [params, query].flatMap((schema) => {
    if (!schema) return []
    const { properties = {} } = z.toJSONSchema(schema, { io: 'input' })
    return Object.entries(properties).flatMap(([name, field]) =>
      /integer|number/.test(String(Object(field).type)) || Object(field).enum ? [name] : [],
    )
  })
}
