import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Endpoint } from '../../../src/api/endpoints/endpoint.ts'
import { everything, listEndpoints } from '../../../src/api/endpoints/index.ts'
import { ErrorBody } from '../../../src/api/reference/openapi.ts'
import { encode } from '../../../src/commands/api/check/ask.ts'
import { startTestEmulator, type TestEmulator } from '../_support.ts'

const each = listEndpoints(everything).map((endpoint) => [endpoint.id, endpoint] as const)

describe.each(each)('the endpoint %s', (id, endpoint) => {
  it('responds as the table defines', async () => {
    const emulator = await startTestEmulator()
    const { status, body } = await send(emulator, endpoint, {})
    expect(status).toBe(endpoint.success[0])
    expect(endpoint.response.safeParse(status === 204 ? {} : body).error).toBeUndefined()
    for (const name of addedByClient(endpoint)) {
      expect(JSON.stringify(body)).not.toContain(`"${name}":`)
    }
  })

  it('responds with 401 without a key and with a wrong key', async () => {
    const emulator = await startTestEmulator()
    for (const key of [null, 'fk-wrong']) {
      const answer = await send(emulator, endpoint, {}, key)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      expectError(endpoint, answer.body, 401, 'Unauthorized')
    }
  })

  it('responds with 405 to another method', async () => {
    const emulator = await startTestEmulator()
    const answer = await emulator.call('OPTIONS', pathOf(endpoint))
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')?.split(', ')).toContain(endpoint.method)
    expectError(endpoint, answer.body, 405, 'Method Not Allowed')
  })

  it('responds with 404 on the other host, if that has a port of its own', async () => {
    const emulator = await startTestEmulator({ appPort: 0 })
    const origin = endpoint.host === 'app' ? emulator.url : emulator.appUrl
    const path = pathOf(endpoint)
    const answer = await fetch(origin + path, { method: endpoint.method })
    expect(answer.status).toBe(404)
    expect(await answer.text()).toMatch(/it belongs to the (API|application) address/)
  })

  const cases = badValuesOf(endpoint)
  if (cases.length === 0) return

  it('responds with 400 and the field to values that the table rejects', async () => {
    const emulator = await startTestEmulator()
    for (const { change, field } of cases) {
      const answer = await send(emulator, endpoint, change)
      const what = `${id} ${JSON.stringify(change).slice(0, 80)}`
      expect(answer.status, what).toBe(400)
      expectError(endpoint, answer.body, 400, 'Bad Request')
      expect(answer.body.detail, what).toContain(`.${field}`)
    }
  })

  it('accepts the values at its limits', async () => {
    for (const { change } of goodValuesOf(endpoint)) {
      const emulator = await startTestEmulator()
      const answer = await send(emulator, endpoint, change)
      // No computer has a name at the length limit.
      const expected = endpoint.id === 'computers.getByName' ? [404] : endpoint.success
      expect(expected, JSON.stringify(change).slice(0, 80)).toContain(answer.status)
    }
  })
})

async function send(
  emulator: TestEmulator,
  endpoint: Endpoint,
  change: Record<string, unknown>,
  key?: string | null,
) {
  const { path, body } = requestOf(endpoint, change)
  return emulator.call(endpoint.method, path, { body, key })
}

function requestOf(endpoint: Endpoint, change: Record<string, unknown>) {
  const input = { ...endpoint.example, ...change }
  const { path, query, body } = encode(endpoint, input)
  const search = new URLSearchParams(query)
  return { path: search.size > 0 ? `${path}?${search}` : path, body }
}

function pathOf(endpoint: Endpoint) {
  return requestOf(endpoint, {}).path.split('?')[0] ?? ''
}

function expectError({ path }: Endpoint, body: unknown, status: number, title: string) {
  const isAnalytics = path.startsWith('/api/v1/analytics')
  if (!isAnalytics) expect(ErrorBody().safeParse(body).error).toBeUndefined()
  const requestId = expect.stringMatching(/^req_\d+$/)
  if (isAnalytics) expect(body).toEqual({ title, status, detail: expect.any(String), requestId })
  expect(body).toMatchObject({ status, title })
}

interface JsonSchema {
  [keyword: string]: unknown
}

interface Case {
  field: string
  change: Record<string, unknown>
}

/** One value beyond each constraint of the table, and each required input omitted. */
function badValuesOf(endpoint: Endpoint): Case[] {
  return propertiesOf(endpoint).flatMap(({ name, wireName, schema, isRequired, place }) => {
    const values = beyond(schema)
    const bad = values.map((value) => ({ field: wireName, change: { [name]: value } }))
    const left = isRequired && place !== 'params'
    return left ? [...bad, { field: wireName, change: { [name]: undefined } }] : bad
  })
}

function goodValuesOf(endpoint: Endpoint): Case[] {
  return propertiesOf(endpoint).flatMap(({ name, wireName, schema, place }) =>
    at(schema)
      // No ID at a length limit exists. Neither does such a name, but the test expects 404 for it.
      .filter(() => place !== 'params' || endpoint.id === 'computers.getByName')
      .map((value) => ({ field: wireName, change: { [name]: value } })),
  )
}

function propertiesOf(endpoint: Endpoint) {
  return (['params', 'query', 'body'] as const).flatMap((place) => {
    const own = endpoint[place]
    const { properties = {}, required = [] } = own ? z.toJSONSchema(own, { io: 'input' }) : {}
    return Object.entries(properties).map(([name, schema]) => ({
      name,
      wireName: endpoint.wire?.[name] ?? name,
      schema: variantsOf(schema as JsonSchema),
      isRequired: required.includes(name),
      place,
    }))
  })
}

function variantsOf(schema: JsonSchema): JsonSchema[] {
  return Array.isArray(schema.anyOf) ? (schema.anyOf as JsonSchema[]) : [schema]
}

const text = (length: number) => 'x'.repeat(length)
const list = (length: number) =>
  Array.from({ length }, () => ({ email: 'bo@example.com', limit: 5 }))

function beyond(variants: JsonSchema[]): unknown[] {
  return variants.flatMap(({ minimum, maximum, exclusiveMinimum, ...rest }) => [
    ...number(minimum).map((least) => least - 1),
    ...number(exclusiveMinimum),
    ...number(maximum).map((most) => most + 1),
    ...number(rest.minLength).map((least) => text(least - 1)),
    ...number(rest.maxLength).map((most) => text(most + 1)),
    ...number(rest.minItems).map((least) => list(least - 1)),
    ...number(rest.maxItems).map((most) => list(most + 1)),
    ...(rest.enum ? ['nonsense'] : []),
    ...(rest.format === 'date' ? ['2026-02-30', '2026-6-1', 'today', ''] : []),
  ])
}

function at(variants: JsonSchema[]): unknown[] {
  return variants.flatMap(({ minimum, maximum, exclusiveMinimum, ...rest }) => [
    ...number(minimum),
    ...number(exclusiveMinimum).map((least) => least + 1),
    ...number(maximum),
    ...number(rest.maxLength).map((most) => text(most)),
    ...number(rest.minItems).map((least) => list(least)),
    ...number(rest.maxItems).map((most) => list(most)),
    ...(Array.isArray(rest.enum) ? rest.enum : []),
  ])
}

function number(keyword: unknown): number[] {
  const isLimit = typeof keyword === 'number' && Math.abs(keyword) < Number.MAX_SAFE_INTEGER
  return isLimit ? [keyword] : []
}

function addedByClient(endpoint: Endpoint) {
  const names = new Set<string>()
  collect(z.toJSONSchema(endpoint.response), names)
  return names
}

function collect(schema: unknown, names: Set<string>) {
  if (typeof schema !== 'object' || schema === null) return
  for (const [key, value] of Object.entries(schema)) {
    if (value?.['x-added-by-client']) names.add(key)
    collect(value, names)
  }
}
