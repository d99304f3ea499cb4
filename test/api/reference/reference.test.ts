import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import {
  beyondTable,
  choicesTable,
  endpointsTable,
  openApiText,
} from '../../../scripts/generate/api-pages.ts'
import { listEndpoints } from '../../../src/api/endpoints/index.ts'
import { ownChoices } from '../../../src/emulator/index.ts'
import { root } from '../../support/home.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const text = openApiText()
// biome-ignore lint/suspicious/noExplicitAny: tests look everywhere in the document
const document: any = JSON.parse(text)

function* nodesOf(value: unknown): Generator<[key: string, value: unknown]> {
  for (const [key, field] of Object.entries(Object(value))) {
    yield [key, field]
    if (typeof field === 'object') yield* nodesOf(field)
  }
}

describe('openapi.json', () => {
  it('matches the endpoint table', () => {
    expect(read('openapi.json')).toBe(text)
  })

  it('passes the linter', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      // The service has /computers/name/{name} beside /computers/{computerId}/refresh.
      rules: {
        'no-ambiguous-paths': 'off',
        'no-invalid-media-type-examples': 'error',
        'no-invalid-parameter-examples': 'error',
        'no-invalid-schema-examples': 'error',
        'operation-description': 'error',
      },
    })
    const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
  })

  it('contains every endpoint by method and path', () => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries<{ operationId?: string }>(Object(item))
        .filter(([method]) => method !== 'servers')
        .map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
    )
    const expected = listEndpoints().map(({ id, method, path }) => `${id} ${method} ${path}`)
    expect(operations.sort()).toEqual(expected.sort())
  })

  it.each(listEndpoints())('$id has the inputs and statuses of the table', (endpoint) => {
    const operation = document.paths[endpoint.path][endpoint.method.toLowerCase()]
    const { params, query, body, wire = {}, success, errors, passthrough } = endpoint
    const names = (place: string) =>
      (operation.parameters ?? [])
        .filter((one: { in: string }) => one.in === place)
        .map(({ name }: { name: string }) => name)
    expect(names('path')).toEqual(Object.keys(params?.shape ?? {}))
    const inQuery = Object.keys(query?.shape ?? {}).map((name) => wire[name] ?? name)
    expect(names('query')).toEqual(query && passthrough ? ['parameters'] : inQuery)
    const sent = operation.requestBody?.content['application/json'].schema.properties
    expect(Object.keys(sent ?? {})).toEqual(Object.keys(body?.shape ?? {}))
    const statuses = [...success, ...Object.keys(errors), 'default'].map(String)
    expect(Object.keys(operation.responses).sort()).toEqual(statuses.sort())
  })

  it('has no dangling references and no unused schemas', () => {
    const refs = [...nodesOf(document)].filter(([key]) => key === '$ref').map(([, ref]) => ref)
    const names = Object.keys(document.components.schemas)
    expect([...new Set(refs)].sort()).toEqual(
      names.map((name) => `#/components/schemas/${name}`).sort(),
    )
  })

  it('contains only wire names, none that the client adds', () => {
    const added = ['credits', 'providerMessageId', 'providerThoughtSignature', 'x-added-by-client']
    const keys = new Set([...nodesOf(document)].map(([key]) => key))
    expect(added.filter((name) => keys.has(name))).toEqual([])
    expect(keys).toContain('group_key')
  })

  it('allows unknown fields in responses but not in requests', () => {
    const { Session, SessionSettingsInput } = document.components.schemas
    expect(Session).not.toHaveProperty('additionalProperties')
    expect(SessionSettingsInput.additionalProperties).toBe(false)
  })

  it('says of every object without listed fields that it may have any', () => {
    const silent = [...nodesOf(document.components), ...nodesOf(document.paths)].filter(
      ([, node]) => {
        const { type, properties, additionalProperties } = Object(node)
        return type === 'object' && !properties && additionalProperties === undefined
      },
    )
    expect(silent).toEqual([])
  })

  it('has the fields that are named after companies as patterns', () => {
    const { Message, TokenUsage } = document.components.schemas
    const fields = [
      [TokenUsage, 'factoryCredits'],
      ...['MessageId', 'Phase', 'EncryptedContent', 'ReasoningId', 'ReasoningSummary'].map(
        (ending) => [Message, `openai${ending}`],
      ),
      [Message, 'geminiThoughtSignature'],
    ]
    for (const [schema, field] of fields) {
      const fitting = Object.keys(schema.patternProperties).filter((pattern) =>
        new RegExp(pattern).test(field),
      )
      expect(fitting, field).toHaveLength(1)
    }
    for (const schema of [Message, TokenUsage])
      for (const pattern of Object.keys(schema.patternProperties))
        expect(Object.keys(schema.properties).filter((name) => name.match(pattern))).toEqual([])
  })

  it('accepts values that an enumeration does not list, apart from those of inputs', () => {
    const { status } = document.components.schemas.Session.properties
    expect(status.anyOf).toEqual([
      { type: 'string', enum: ['idle', 'pending', 'running'] },
      { type: 'string' },
    ])
  })

  it.each(listEndpoints())(
    '$id has an example of each body and of each required input',
    (entry) => {
      const {
        parameters = [],
        requestBody,
        responses,
      } = document.paths[entry.path][entry.method.toLowerCase()]
      for (const { name, required, example } of parameters)
        if (required) expect(example, name).toBeDefined()
      if (requestBody) expect(requestBody.content['application/json']).toHaveProperty('example')
      const [status = 200] = entry.success
      expect(responses[status].content['application/json']).toHaveProperty('example')
    },
  )

  it('names both hosts', () => {
    expect(document.servers.map(({ url }: { url: string }) => url)).toEqual([
      'https://api.factory.ai',
      'https://app.factory.ai',
    ])
  })

  it('keeps the limits of the specification', () => {
    const rotate =
      document.paths['/api/v0/service-accounts/{serviceAccountId}/api-keys/{keyId}/rotate'].post
        .requestBody
    expect(rotate.required).toBe(false)
    expect(rotate.content['application/json'].schema.properties).toMatchObject({
      expiresAt: { type: 'integer', exclusiveMinimum: 0 },
      gracePeriodMinutes: { type: 'integer', minimum: 0, maximum: 10 },
    })
    expect(rotate.content['application/json'].schema.properties.expiresAt).not.toHaveProperty(
      'maximum',
    )
  })

  it('sends readiness reports to the application host', () => {
    const { servers } = document.paths['/api/organization/maturity-level-reports']
    expect(servers).toEqual([expect.objectContaining({ url: 'https://app.factory.ai' })])
  })
})

describe('docs', () => {
  it('docs/api.md has a row for each endpoint', () => {
    const table = endpointsTable()
    expect(read('docs/api.md')).toContain(table)
    expect(table.split('\n')).toHaveLength(2 + listEndpoints().length)
  })

  it('docs/api.md has a table of what is beyond the specification', () => {
    const table = beyondTable()
    expect(read('docs/api.md')).toContain(table)
    expect(table).toMatch(
      /`beyond.sessions.list` \| `GET \/api\/v0\/sessions` .* `list-sessions.md`/,
    )
  })

  it('docs/emulator.md has a row for each design choice', () => {
    const table = choicesTable()
    expect(read('docs/emulator.md')).toContain(table)
    expect(table.split('\n')).toHaveLength(2 + ownChoices.length)
  })

  it('docs/api.md shows inputs with their limits, and the cursor of a list', () => {
    const rows = endpointsTable().split('\n')
    const row = (id: string) => rows.find((line) => line.startsWith(`| \`${id}\``)) ?? ''
    expect(row('sessions.messages.list')).toMatchInlineSnapshot(
      `"| \`sessions.messages.list\` | \`GET /api/v0/sessions/{sessionId}/messages\` | **\`sessionId\`**, \`limit\` 1–100, \`cursor\`, \`computerId\`, \`role\` user \\| assistant \\| tool | *400* 401 *403* *404* *500* | safe | \`messages\`; \`pagination.nextCursor\` → \`cursor\` |"`,
    )
    expect(row('analytics.tokens')).toContain('`groupBy` (`group_by`) model')
    expect(row('organization.limits.setGlobal')).toContain('**`limit`** ≥ 1000000 or null')
  })
})
