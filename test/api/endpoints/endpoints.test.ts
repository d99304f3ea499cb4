import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import {
  type Endpoint,
  endpoint,
  type Input,
  type Output,
} from '../../../src/api/endpoints/endpoint.ts'
import {
  type api,
  type EndpointTree,
  everything,
  isEndpoint,
  listEndpoints,
} from '../../../src/api/endpoints/index.ts'

const all = listEndpoints()
const each = listEndpoints(everything).map((entry) => [entry.id, entry] as const)
const keysOf = (schema?: z.ZodObject) => Object.keys(schema?.shape ?? {})
const inputsOf = ({ params, query, body }: Endpoint) =>
  [params, query, body].flatMap((schema) => keysOf(schema))

function find(id: string): Endpoint {
  const found = all.find((entry) => entry.id === id)
  if (!found) throw new Error(`no endpoint "${id}"`)
  return found
}

describe('the endpoint table', () => {
  it('contains the endpoints of the specification', () => {
    expect(all.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v0/service-accounts/{serviceAccountId}/api-keys/{keyId}/rotate',
      'GET /api/v0/organization/usage/limits/global',
      'PUT /api/v0/organization/usage/limits/global',
      'PUT /api/v0/organization/usage/limits/users',
      'DELETE /api/v0/organization/users',
      'POST /api/v0/sessions',
      'POST /api/v0/sessions/{sessionId}/messages',
      'GET /api/v0/sessions/{sessionId}/messages',
      'GET /api/v0/computers/name/{name}',
      'GET /api/v0/computers/{computerId}',
      'POST /api/v0/computers/{computerId}/refresh',
      'DELETE /api/v0/computers/{computerId}',
      'GET /api/v0/automations/ci/repositories',
      'GET /api/v0/automations/ci/scan',
      'POST /api/v0/wiki',
      'GET /api/v0/wiki/{wikiRunId}',
      'GET /api/v0/wiki/{wikiRunId}/search',
      'POST /api/v0/wiki/{wikiRunId}/privacy',
      'GET /api/v1/analytics/tokens',
      'GET /api/v1/analytics/tools',
      'GET /api/v1/analytics/activity',
      'GET /api/v1/analytics/productivity',
      'GET /api/v1/analytics/users',
      'GET /api/organization/maturity-level-reports',
    ])
    expect(all.filter(({ host }) => host === 'app').map(({ id }) => id)).toEqual([
      'readiness.reports',
    ])
  })

  it('names the source of each endpoint that the specification does not have, and of no other', () => {
    const known = new Set(all.map(({ method, path }) => `${method} ${path}`))
    for (const [id, { method, path, source }] of each) {
      expect(known.has(`${method} ${path}`), id).toBe(!id.startsWith('beyond.'))
      expect(source ?? '', id).toMatch(id.startsWith('beyond.') ? /^[a-z-]+\.md$/ : /^$/)
    }
  })

  it('places every endpoint according to its ID', () => {
    expect(placesOf(everything)).toEqual(each.map(([id]) => id))
  })

  it.each(each)('%s: every input is unique and every wire name belongs to an input', (_, entry) => {
    const inputs = inputsOf(entry)
    expect(new Set(inputs).size).toBe(inputs.length)
    expect(inputs).toEqual(expect.arrayContaining(Object.keys(entry.wire ?? {})))
    if (entry.page) expect(inputs).toEqual(expect.arrayContaining([entry.page.cursor, 'limit']))
    expect(entry.passthrough ?? false).toBe(
      [entry.body, entry.query].some((part) => part?.safeParse({ undeclared: 1 }).success),
    )
  })

  it.each(each)(
    '%s: the parameters match the braces in the path and must not be empty',
    (_, { path, params }) => {
      expect(keysOf(params)).toEqual([...path.matchAll(/{(\w+)}/g)].map(([, name]) => name))
      for (const key of keysOf(params))
        expect(params?.shape[key]?.safeParse('').success).toBe(false)
    },
  )

  it.each(each)('%s: every field of its schemas has a description', (_, entry) => {
    for (const part of ['params', 'query', 'body', 'response'] as const) {
      const schema = entry[part]
      if (!schema) continue
      const io = part === 'response' ? 'output' : 'input'
      expect(undescribed(z.toJSONSchema(schema, { io }), part)).toEqual([])
    }
  })

  it('never retries the unsafe endpoints', () => {
    expect(all.filter(({ retry }) => retry === 'never').map(({ id }) => id)).toEqual([
      'serviceAccounts.keys.rotate',
      'sessions.create',
      'sessions.messages.add',
      'computers.refresh',
      'wiki.create',
      'wiki.setPrivacy',
    ])
  })

  it('lists all error statuses of the specification', () => {
    const counts = all.map(({ id, errors }) => [id, Object.keys(errors).length])
    // Wiki: two statuses are in the specification, and 403 is in the public documentation.
    expect(Object.fromEntries(counts)).toMatchObject({
      'serviceAccounts.keys.rotate': 6,
      'organization.limits.getGlobal': 3,
      'organization.limits.setGlobal': 4,
      'organization.limits.setUsers': 4,
      'organization.users.remove': 6,
      'sessions.create': 5,
      'sessions.messages.add': 6,
      'sessions.messages.list': 5,
      'computers.getByName': 3,
      'computers.get': 4,
      'computers.refresh': 4,
      'computers.delete': 4,
      'automations.ci.repositories': 2,
      'automations.ci.scan': 2,
      'wiki.create': 3,
      'readiness.reports': 3,
    })
  })

  it('accepts 201 for a new session, and 200 or 204 for a deletion', () => {
    const special = all.filter(({ success }) => success.join() !== '200')
    expect(special.map(({ id, success }) => [id, ...success])).toEqual([
      ['organization.users.remove', 200, 204],
      ['sessions.create', 201],
      ['computers.delete', 200, 204],
    ])
  })

  it('creates a schema only when it is read, and only once', () => {
    let made = 0
    const entry = endpoint({
      ...withoutSchemas('automations.ci.scan'),
      response: () => {
        made += 1
        return z.unknown()
      },
    })
    expect(made).toBe(0)
    expect(entry.response).toBe(entry.response)
    expect(made).toBe(1)
  })

  it('has the same summary in the doc comments as in the documents', () => {
    const folder = 'src/api/endpoints'
    const source = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
    const pattern = /\/\*\* (.+) \*\/\s+\w+: endpoint\(\{\s+id: '(.+)'/g
    const said = source.flatMap((text) => [...text.matchAll(pattern)].map(([, a, b]) => [b, a]))
    expect(Object.fromEntries(said)).toEqual(
      Object.fromEntries(each.map(([id, { summary }]) => [id, summary])),
    )
  })
})

const day = { startDate: '2026-02-01', endDate: '2026-02-28' }
const user = { email: 'a@example.org', limit: 0 }
const image = { type: 'base64', data: 'AA==' }
const usersOf = (length: number) => ({ users: Array.from({ length }, () => user) })

describe('the limits of the specification', () => {
  it.each([
    ['serviceAccounts.keys.rotate', 'body', {}],
    ['serviceAccounts.keys.rotate', 'body', { expiresAt: 1, gracePeriodMinutes: 0 }],
    ['serviceAccounts.keys.rotate', 'body', { gracePeriodMinutes: 10 }],
    ['organization.limits.setGlobal', 'body', { limit: 1_000_000 }],
    ['organization.limits.setGlobal', 'body', { limit: null }],
    ['organization.limits.setUsers', 'body', usersOf(1)],
    ['organization.limits.setUsers', 'body', usersOf(100)],
    ['organization.limits.setUsers', 'body', { users: [{ ...user, limit: null }] }],
    ['sessions.create', 'body', { computerId: 'c' }],
    ['sessions.create', 'body', { computerId: 'c', cwd: '/' }],
    ['sessions.create', 'body', { computerId: 'c', cwd: 'x'.repeat(4096) }],
    ['sessions.create', 'body', { computerId: 'c', sessionSettings: { autonomyLevel: 'new' } }],
    ['sessions.messages.add', 'body', { text: 'hi', images: [image], files: [image] }],
    ['sessions.messages.list', 'query', { limit: 1, role: 'tool' }],
    ['sessions.messages.list', 'query', { limit: 100 }],
    ['computers.getByName', 'params', { name: 'x' }],
    ['computers.getByName', 'params', { name: 'x'.repeat(63) }],
    ['analytics.users', 'query', { ...day, limit: 1 }],
    ['analytics.users', 'query', { ...day, limit: 100 }],
    ['analytics.tokens', 'query', { ...day, groupBy: 'model' }],
    ['analytics.tools', 'query', { ...day, groupBy: 'tool_name' }],
    ['analytics.activity', 'query', { ...day, groupBy: 'client' }],
    ['analytics.productivity', 'query', { startDate: '2028-02-29', endDate: '2028-02-29' }],
    ['readiness.reports', 'query', { limit: 1 }],
  ] as const)('%s accepts %s %j', (id, part, value) => {
    expect(find(id)[part]?.safeParse(value).error).toBeUndefined()
  })

  it.each([
    ['serviceAccounts.keys.rotate', 'body', { expiresAt: 0 }],
    ['serviceAccounts.keys.rotate', 'body', { expiresAt: 1.5 }],
    ['serviceAccounts.keys.rotate', 'body', { gracePeriodMinutes: -1 }],
    ['serviceAccounts.keys.rotate', 'body', { gracePeriodMinutes: 11 }],
    ['serviceAccounts.keys.rotate', 'body', { gracePeriodMinutes: 1.5 }],
    ['serviceAccounts.keys.rotate', 'body', { name: 'mine' }],
    ['organization.limits.setGlobal', 'body', {}],
    ['organization.limits.setGlobal', 'body', { limit: 999_999 }],
    ['organization.limits.setGlobal', 'body', { limit: 1_000_000.5 }],
    ['organization.limits.setUsers', 'body', usersOf(0)],
    ['organization.limits.setUsers', 'body', usersOf(101)],
    ['organization.limits.setUsers', 'body', { users: [{ ...user, limit: 0.5 }] }],
    ['organization.limits.setUsers', 'body', { users: [{ limit: 1 }] }],
    ['organization.users.remove', 'query', {}],
    ['organization.users.remove', 'query', { email: '' }],
    ['sessions.create', 'body', { cwd: '/' }],
    ['sessions.create', 'body', { computerId: 'c', cwd: '' }],
    ['sessions.create', 'body', { computerId: 'c', cwd: 'x'.repeat(4097) }],
    ['sessions.create', 'body', { computerId: 'c', sessionSettings: { tokenUsage: {} } }],
    ['sessions.create', 'body', { computerId: 'c', sessionSettings: { inclusiveTokenUsage: {} } }],
    ['sessions.messages.add', 'body', {}],
    ['sessions.messages.add', 'body', { text: 'hi', images: [{ ...image, type: 'url' }] }],
    ['sessions.messages.list', 'query', { limit: 0 }],
    ['sessions.messages.list', 'query', { limit: 101 }],
    ['sessions.messages.list', 'query', { role: 'system' }],
    ['computers.getByName', 'params', { name: '' }],
    ['computers.getByName', 'params', { name: 'x'.repeat(64) }],
    ['analytics.users', 'query', { ...day, limit: 0 }],
    ['analytics.users', 'query', { ...day, limit: 101 }],
    ['analytics.users', 'query', { ...day, groupBy: 'model' }],
    ['analytics.tokens', 'query', { ...day, groupBy: 'client' }],
    ['analytics.tokens', 'query', { startDate: '2026-02-01' }],
    ['analytics.productivity', 'query', { ...day, endDate: '2026-02-29' }],
    ['analytics.productivity', 'query', { ...day, endDate: '2026-2-28' }],
    ['analytics.productivity', 'query', { ...day, endDate: '2026-02-28\n' }],
    ['readiness.reports', 'query', { limit: 0 }],
    ['readiness.reports', 'query', { limit: 1.5 }],
  ] as const)('%s rejects %s %j', (id, part, value) => {
    expect(find(id)[part]?.safeParse(value).success).toBe(false)
  })
})

describe('the types of endpoints', () => {
  it('merge all inputs into one flat object', () => {
    type Rotate = typeof api.serviceAccounts.keys.rotate
    expectTypeOf<Input<Rotate>>().toEqualTypeOf<{
      serviceAccountId: string
      keyId: string
      expiresAt?: number | undefined
      gracePeriodMinutes?: number | undefined
    }>()
    expectTypeOf<Output<Rotate>['apiKey']['value']>().toEqualTypeOf<string>()
    expectTypeOf<Input<typeof api.organization.limits.setGlobal>>().toEqualTypeOf<{
      limit: number | null
    }>()
    type Search = Input<typeof api.wiki.search>
    expectTypeOf<Search['wikiRunId']>().toEqualTypeOf<string>()
    expectTypeOf<Search['anything']>().toEqualTypeOf<unknown>()
  })

  it('reject parameters that do not match the path', () => {
    const facts = withoutSchemas('computers.get')
    const response = () => z.unknown()
    const params = () => z.strictObject({ id: z.string() })
    // @ts-expect-error: the path says `other`
    endpoint({ ...facts, path: '/x/{other}', response, params })
    // @ts-expect-error: the path has no `id`
    endpoint({ ...facts, path: '/x', response, params })
    // @ts-expect-error: `id` has no schema
    endpoint({ ...facts, path: '/x/{id}', response })
    endpoint({ ...facts, path: '/x/{id}', response, params })
  })
})

function withoutSchemas(id: string) {
  const { params: _, query: __, body: ___, groupedResponse: ____, ...facts } = find(id)
  return facts
}

function placesOf(tree: EndpointTree, prefix = ''): string[] {
  return Object.entries(tree).flatMap(([name, node]) =>
    isEndpoint(node) ? prefix + name : placesOf(node, `${prefix}${name}.`),
  )
}

/** Paths of the fields in a JSON Schema without a description. */
function undescribed(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    if (key !== 'properties') return undescribed(value, `${path}.${key}`)
    return Object.entries(Object(value)).flatMap(([name, field]) => {
      const here = `${path}.${name}`
      const found = undescribed(field, here)
      return Object(field).description ? found : [here, ...found]
    })
  })
}
