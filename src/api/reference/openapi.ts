import { STATUS_CODES } from 'node:http'
import * as z from 'zod'
import type { Endpoint, ErrorSource } from '../endpoints/endpoint.ts'
import { api, type EndpointTree, listEndpoints } from '../endpoints/index.ts'
import type { Host, RetryClass } from '../operation.ts'
import { once } from '../record.ts'
import { type Json, makeSchemas } from './json-schema.ts'

type Schemas = ReturnType<typeof makeSchemas>

type Servers = Readonly<Record<Host, { url: string; description: string }>>

/**
 * The OpenAPI 3.1 document of the endpoints, with the responses to their examples. The output is deterministic.
 */
export function makeOpenApi(
  responses: ReadonlyMap<string, unknown>,
  servers: Servers = publicServers,
  tree: EndpointTree = api,
): Json {
  const schemas = makeSchemas()
  const paths: { [path: string]: Json } = {}
  for (const endpoint of listEndpoints(tree)) {
    const item = paths[endpoint.path] ?? (endpoint.host === 'app' ? { servers: [servers.app] } : {})
    paths[endpoint.path] = item
    item[endpoint.method.toLowerCase()] = operationOf(endpoint, schemas, responses.get(endpoint.id))
  }
  schemas.schemaOf(ErrorBody(), 'output')
  schemas.schemas.OtherErrorBody = schemas.schemaOf(AnyErrorBody(), 'output')
  return {
    openapi: '3.1.0',
    info: {
      title: 'Organization management and analytics',
      version: '0.1.0',
      summary: 'The endpoints as hookbell/api calls them',
      description:
        'Generated from the table of endpoints in src/api/endpoints. `x-source` names the source of an error status: the specification, the public documentation, or inference.',
      contact: { name: 'hookbell' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // The paths of the application name their own server.
    servers: [servers.base, servers.app],
    security: [{ bearer: [] }],
    tags: allAreas
      .filter(({ name }) => tree[name])
      .map(({ name, about }) => ({ name, description: about }))
      .sort((one, other) => (one.name < other.name ? -1 : 1)),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key or a JWT' },
      },
      schemas: sorted(schemas.schemas),
    },
  }
}

const publicServers = {
  base: { url: 'https://api.factory.ai', description: 'The API' },
  app: { url: 'https://app.factory.ai', description: 'The application' },
}

function operationOf(endpoint: Endpoint, schemas: Schemas, response: unknown): Json {
  const { id, summary, method, retry, page, alternatePath } = endpoint
  const parameters = [...pathParameters(endpoint, schemas), ...queryParameters(endpoint, schemas)]
  return {
    operationId: id,
    tags: [areaOf(endpoint)],
    summary,
    description: endpoint.description + originOf(endpoint),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(endpoint.body && method !== 'DELETE' ? { requestBody: bodyOf(endpoint, schemas) } : {}),
    responses: responsesOf(endpoint, schemas, response),
    'x-retry': retryLabels[retry],
    ...(page ? { 'x-pagination': page } : {}),
    ...(alternatePath ? { 'x-alternate-path': alternatePath } : {}),
  }
}

function originOf({ source }: Endpoint): string {
  return source ? ` From the public documentation (${source}), not from the specification.` : ''
}

function pathParameters({ params, example }: Endpoint, schemas: Schemas): Json[] {
  const fields = params ? fieldsOf(schemas.schemaOf(params, 'input')) : []
  return fields.map(({ name, schema }) => parameter(name, 'path', true, schema, example[name]))
}

function queryParameters(endpoint: Endpoint, schemas: Schemas): Json[] {
  const { query, wire = {}, passthrough, example } = endpoint
  if (!query) return []
  const fields = fieldsOf(schemas.schemaOf(query, 'input'))
  const known = fields.map(({ name, schema, isRequired }) =>
    parameter(wire[name] ?? name, 'query', isRequired, schema, example[name]),
  )
  if (!passthrough) return known
  const any = { type: 'object', additionalProperties: true, description: 'Not documented' }
  return [
    ...known,
    {
      ...parameter('parameters', 'query', false, any, withoutParams(endpoint)),
      style: 'form',
      explode: true,
    },
  ]
}

function parameter(
  name: string,
  place: 'path' | 'query',
  required: boolean,
  schema: Json,
  example: unknown,
): Json {
  const { description, ...rest } = schema
  const shown = example === undefined ? {} : { example }
  return { name, in: place, required, description, schema: rest, ...shown }
}

interface Field {
  name: string
  schema: Json
  isRequired: boolean
}

function fieldsOf({ properties, required }: Json): Field[] {
  const names = Array.isArray(required) ? required : []
  return Object.entries(Object(properties)).map(([name, schema]) => ({
    name,
    schema: schema as Json,
    isRequired: names.includes(name),
  }))
}

function bodyOf(endpoint: Endpoint, schemas: Schemas): Json {
  const { body } = endpoint
  const schema = body ? schemas.schemaOf(body, 'input') : {}
  const content = { 'application/json': { schema, example: withoutParams(endpoint) } }
  return { required: Array.isArray(schema.required), content }
}

/** The example of an endpoint without what its path carries. */
function withoutParams({ params, example }: Endpoint): Json {
  const inPath = Object.keys(params?.shape ?? {})
  return Object.fromEntries(Object.entries(example).filter(([name]) => !inPath.includes(name)))
}

function responsesOf(endpoint: Endpoint, schemas: Schemas, example: unknown): Json {
  const { success, errors, hints = {}, response, groupedResponse, path } = endpoint
  const plain = schemas.schemaOf(response, 'output')
  const schema = groupedResponse
    ? { anyOf: [plain, schemas.schemaOf(groupedResponse, 'output')] }
    : plain
  const good = success.map((status) => [
    status,
    status === 204
      ? { description: statusTitle(status) }
      : { description: statusTitle(status), content: { 'application/json': { schema, example } } },
  ])
  const body = path.startsWith('/api/v0/') ? 'ErrorBody' : 'OtherErrorBody'
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${body}` } } }
  const bad = (Object.entries(errors) as [string, ErrorSource][]).map(([status, source]) => {
    const hint = hints[Number(status)]
    const title = statusTitle(Number(status))
    return [
      status,
      { description: hint ? `${title}: ${hint}` : title, content, 'x-source': source },
    ]
  })
  const other = { 'application/json': { schema: { $ref: '#/components/schemas/OtherErrorBody' } } }
  const rest = ['default', { description: 'Any other error', content: other }]
  return Object.fromEntries([...good, ...bad, rest])
}

function sorted(schemas: Json): Json {
  return Object.fromEntries(
    Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1)),
  )
}

/** The body of every error of the `/api/v0` endpoints. */
export const ErrorBody = once(() =>
  z
    .strictObject({
      detail: z.string().describe('What went wrong, for a person'),
      status: z.number().describe('HTTP status code'),
      title: z.string().describe('Title of the HTTP status'),
      metadata: z.record(z.string(), z.unknown()).optional().describe('More about the error'),
    })
    .meta({
      id: 'ErrorBody',
      examples: [{ detail: 'No computer "comp_x"', status: 404, title: 'Not Found' }],
    }),
)

/**
 * The fields that any error body may have. By the public documentation, analytics sends `requestId`
 * in place of `metadata`, and the official SDK reads a lone `error`.
 */
export const AnyErrorBody = once(() =>
  z.looseObject({
    detail: z.string().optional().describe('What went wrong, for a person'),
    error: z.string().optional().describe('What went wrong, in older responses'),
    status: z.number().optional().describe('HTTP status code'),
    title: z.string().optional().describe('Title of the HTTP status'),
    metadata: z.record(z.string(), z.unknown()).optional().describe('More about the error'),
    requestId: z.string().optional().describe('ID of the request, for support'),
  }),
)

/** The areas of the table, by the first word of an ID. */
export const allAreas = [
  { name: 'serviceAccounts', about: 'Keys of service accounts' },
  { name: 'organization', about: 'Credit limits and users of the organization' },
  { name: 'sessions', about: 'Sessions of the agent and their messages' },
  { name: 'computers', about: 'Computers that sessions run on' },
  { name: 'automations', about: 'Repositories and CI workflows' },
  { name: 'wiki', about: 'Wiki runs' },
  { name: 'analytics', about: 'Usage and activity of the organization, by day' },
  { name: 'readiness', about: 'Agent-readiness reports' },
  { name: 'beyond', about: 'From the public documentation, not the specification: may change' },
] as const

function areaOf({ id }: Endpoint): string {
  return id.split('.')[0] ?? ''
}

/** What the client does when a response is lost. */
const retryLabels: Readonly<Record<RetryClass, string>> = {
  safe: 'safe: retried when the response is lost',
  never: 'never: retried only if it was not sent',
}

function statusTitle(status: number): string {
  return STATUS_CODES[status] ?? `Status ${status}`
}
