import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { everything, listEndpoints } from '../../../src/api/endpoints/index.ts'
import type { Drift } from '../../../src/api/index.ts'
import { decode } from '../../../src/api/validation/decode.ts'
import { runs } from '../../support/runs.ts'
import { anyJson, valuesOf } from '../_arbitrary.ts'
import { errorOf, json, operationOf, useFaultServer } from '../_support.ts'

const each = listEndpoints(everything)
  .filter(({ response }) => response instanceof z.ZodObject)
  .map((entry) => [entry.id, entry] as const)

/** Field names that no response has today, and from which no neutral name is derived. */
const news = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 4 }).map((name) => `x_${name}`),
  anyJson,
  { maxKeys: 2, noNullPrototype: true },
)

/** Adds the fields to every object in a value. */
function addEverywhere(value: unknown, fields: object): unknown {
  if (Array.isArray(value)) return value.map((item) => addEverywhere(item, fields))
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.entries(value).map(([key, item]) => [key, addEverywhere(item, fields)])
  return { ...Object.fromEntries(copy), ...fields }
}

/** Maps from IDs to objects are data: an added field would be an invalid entry there. */
function isValid(schema: z.ZodType, value: unknown) {
  return schema.safeParse(value).success
}

describe('responses with future changes', () => {
  it.each(each)('%s: unknown fields are kept at any depth', (_, entry) => {
    fc.assert(
      fc.property(valuesOf(entry.response, 'output'), news, (value, fields) => {
        const answer = addEverywhere(value, fields)
        if (!isValid(entry.response, answer)) return
        const text = json(answer)
        const decoded = decode(operationOf(entry.id), { status: entry.success[0] ?? 200, text })
        expect(decoded).toMatchObject({ drift: [] })
        // The client may add neutral names, but loses no field.
        expect(decoded).toMatchObject({ value: JSON.parse(text) })
      }),
      { numRuns: runs(40) },
    )
  })

  const required = each.flatMap(([id, entry]) =>
    Object.entries((entry.response as z.ZodObject).shape)
      .filter(([, field]) => !(field as z.ZodType).safeParse(undefined).success)
      .map(([name]) => [id, name, entry] as const),
  )

  it.each(required)(
    '%s: without "%s" the rest is kept and one drift reported',
    (id, name, entry) => {
      fc.assert(
        fc.property(valuesOf(entry.response, 'output'), (value) => {
          const { [name]: _, ...rest } = Object(value)
          const decoded = decode(operationOf(entry.id), {
            status: entry.success[0] ?? 200,
            text: json(rest),
          })
          expect(decoded).toMatchObject({ drift: [{ endpoint: id, path: name }] })
          expect(decoded).toMatchObject({ value: JSON.parse(json(rest)) })
        }),
        { numRuns: 10 },
      )
    },
  )
})

describe('drift', () => {
  const faults = useFaultServer('https')
  const mistyped = { id: 5, name: 'c', providerType: 'byom', createdAt: 1, status: 'new-status' }

  it('is reported once for each endpoint and path, and the data is still returned', async () => {
    const drifts: Drift[] = []
    const client = faults.makeClient({ onDrift: (drift) => drifts.push(drift) })
    faults.play([{ body: json(mistyped) }])
    expect(await client.computers.get({ computerId: 'c' })).toEqual(mistyped)
    await client.computers.get({ computerId: 'c' })
    await client.computers.getByName({ name: 'c' })
    expect(drifts.map(({ endpoint, path }) => `${endpoint} ${path}`)).toEqual([
      'computers.get id',
      'computers.getByName id',
    ])
  })

  it('is reported once for a field of a list, not for each index', async () => {
    const drifts: Drift[] = []
    const client = faults.makeClient({ onDrift: (drift) => drifts.push(drift) })
    const body = {
      updated: [
        { email: 1, limit: 1 },
        { email: 2, limit: 1 },
      ],
      errors: [],
    }
    faults.play([{ body: json(body) }])
    await client.organization.limits.setUsers({ users: [{ email: 'a@b.example', limit: 1 }] })
    expect(drifts.map(({ path }) => path)).toEqual(['updated[].email'])
  })

  it('rejects a strict call with the response text, which is not printed', async () => {
    faults.play([{ body: json(mistyped) }])
    const client = faults.makeClient()
    const error = await errorOf(client.computers.get({ computerId: 'c' }, { strict: true }))
    expect(error).toMatchObject({
      kind: 'decode',
      status: 200,
      drift: [{ endpoint: 'computers.get', path: 'id' }],
      bodyText: json(mistyped),
    })
    expect(json(error)).not.toContain('new-status')
  })

  it('is reported for another success status', async () => {
    const drifts: Drift[] = []
    const client = faults.makeClient({ onDrift: (drift) => drifts.push(drift) })
    faults.play([{ status: 202, body: '{"limit": 1}' }])
    expect(await client.organization.limits.getGlobal()).toEqual({ limit: 1 })
    expect(drifts).toEqual([
      {
        endpoint: 'organization.limits.getGlobal',
        in: 'response',
        path: '(status)',
        problem: 'got 202',
      },
    ])
  })

  it('does not prevent neutral names', async () => {
    const message = { id: 'm', role: 'assistant', content: 'text', xMessageId: 'p' }
    faults.play([{ body: json({ messages: [message], pagination: { hasMore: false } }) }])
    const page = await faults.makeClient().sessions.messages.list({ sessionId: 's' })
    expect(page.messages[0]).toEqual(message)
    expect(page.messages[0]?.providerMessageId).toBe('p')
    expect(json(page.messages[0])).toBe(json(message))
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('mine')
      },
    ],
    // vitest fails the run for a rejection that nobody handles; a program would end.
    ['rejects', () => Promise.reject(new Error('mine'))],
  ])('does not fail the call when a callback %s', async (_, fail) => {
    faults.play([{ body: json(mistyped) }])
    const client = faults.makeClient({ onDrift: fail, onAttempt: fail, afterResponse: fail })
    expect(await client.computers.get({ computerId: 'c' })).toEqual(mistyped)
  })
})
