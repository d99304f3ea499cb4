import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { everything, listEndpoints } from '../../../src/api/endpoints/index.ts'
import { check } from '../../../src/api/validation/check.ts'
import { type Shape, shape as shapeOf } from '../../../src/api/validation/shape.ts'
import { runs } from '../../support/runs.ts'
import { anyJson, valuesOf } from '../_arbitrary.ts'
import { operationOf } from '../_support.ts'

const parts = ['params', 'query', 'body', 'response'] as const

/** Every schema of the endpoint table, with the compact shape that the client checks instead. */
const each = listEndpoints(everything).flatMap((endpoint) => {
  const operation = operationOf(endpoint.id)
  return parts.flatMap((part): [name: string, schema: z.ZodType, shape: Shape][] => {
    const [schema, shape] = [endpoint[part], operation[part]]
    // Nothing is checked where anything is allowed: in the responses that are not documented.
    expect(Boolean(shape)).toBe(Boolean(schema) && !(schema instanceof z.ZodUnknown))
    return schema && shape ? [[`${endpoint.id} ${part}`, schema, shape]] : []
  })
})

/** Values that are invalid in one way or nearly valid. */
const odd = fc.oneof(
  anyJson,
  fc.constantFrom(0, -1, 0.5, 1e6, 1e16, '', 'x'.repeat(64), '2026-02-30', null, [], {}, [{}]),
)

type Step = { at: number; change: 'replace' | 'remove' | 'add'; value: unknown }
const step: fc.Arbitrary<Step> = fc.record({
  at: fc.nat(),
  change: fc.constantFrom('replace', 'remove', 'add'),
  value: odd,
})

/** Changes one place of a value; `at` selects the place. */
function spoil(value: unknown, { at, change, value: other }: Step): unknown {
  if (typeof value !== 'object' || value === null) return other
  const keys = Object.keys(value)
  const chosen = at % (keys.length + 2)
  if (chosen === keys.length) return other
  const copy = Array.isArray(value) ? [...value] : { ...value }
  const key = keys[chosen]
  if (key === undefined || change === 'add') Reflect.set(copy, `x${at}`, other)
  else if (change === 'remove') Reflect.deleteProperty(copy, key)
  else {
    const next = { at: Math.floor(at / (keys.length + 2)), change, value: other }
    Reflect.set(copy, key, spoil(Reflect.get(value, key), next))
  }
  return JSON.parse(JSON.stringify(copy))
}

describe('the shapes of the client', () => {
  it.each(each)(
    '%s: accept and reject the same values as the endpoint table',
    (_, schema, shape) => {
      fc.assert(
        fc.property(valuesOf(schema, 'output'), fc.option(step), (value, change) => {
          const given = change ? spoil(value, change) : value
          const { success, error } = schema.safeParse(given)
          expect(check(shape, given).length === 0, String(error)).toBe(success)
        }),
        { numRuns: runs(300) },
      )
    },
  )
})

describe('check', () => {
  it.each<[Shape, unknown, string]>([
    [shapeOf('s'), 5, 'must be a string'],
    [shapeOf('n'), Number.NaN, 'must be a number'],
    [shapeOf('n'), '5', 'must be a number'],
    [shapeOf('i'), 0.5, 'must be a whole number'],
    [shapeOf('i'), 2 ** 53, 'must be a whole number'],
    [shapeOf('i0'), 'x', 'must be a whole number or null'],
    [shapeOf('b'), 1, 'must be true or false'],
    [shapeOf('a'), {}, 'must be an array'],
    [shapeOf('o'), [], 'must be an object'],
    [shapeOf('o'), null, 'must be an object'],
    [shapeOf('s(1-)'), '', 'must not be empty'],
    [shapeOf('s(2-)'), 'x', 'must have at least 2 characters'],
    [shapeOf('s(0-2)'), 'xxx', 'must have at most 2 characters'],
    [shapeOf('d'), '2026-02-30', 'must be a day, YYYY-MM-DD'],
    [shapeOf('d'), '2026-2-3', 'must be a day, YYYY-MM-DD'],
    [shapeOf('d'), ['2026-02-03'], 'must be a day, YYYY-MM-DD'],
    [shapeOf('i(1-)'), 0, 'must be at least 1'],
    [shapeOf('i(0-1)'), 2, 'must be at most 1'],
    [shapeOf('[s](1-)'), [], 'must not be empty'],
    [shapeOf('[i](2-)'), [1], 'must have at least 2 entries'],
    [shapeOf('[i](0-2)'), [1, 2, 3], 'must have at most 2 entries'],
    [shapeOf('*'), undefined, 'is missing'],
  ])('reports for %j, %j: %s', (shape, value, problem) => {
    expect(check(shape, value)).toEqual([{ path: [], problem }])
  })

  it('reports the path of each violation', () => {
    const shape = shapeOf('!{list:[s],name:s,more?,up?:s}')
    const value = { list: ['a', 5], more: undefined, up: null, other: 1, gone: undefined }
    expect(check(shape, value)).toEqual([
      { path: ['list', 1], problem: 'must be a string' },
      { path: ['name'], problem: 'is missing' },
      { path: ['up'], problem: 'must be a string' },
      { path: ['other'], problem: 'is an unknown field', isOpen: true },
    ])
  })

  it('marks an unknown enum value as open, but not another type', () => {
    const problem = 'must be "a" or "b"'
    expect(check(shapeOf('(a|b)'), 'c')).toEqual([{ path: [], problem, isOpen: true }])
    expect(check(shapeOf('(a|b)'), 5)).toEqual([{ path: [], problem: 'must be a string' }])
  })

  it.each([
    ['e-mail address', shapeOf('e'), 'ada@example.com', true],
    ['e-mail address', shapeOf('e'), 'ada.l+x@sub.example.co', true],
    ['e-mail address', shapeOf('e'), 'josé@bücher.example', true],
    ['e-mail address', shapeOf('e'), 'Ada<ada@example.com>', false],
    ['e-mail address', shapeOf('e'), 'ada@example.com,bo@example.com', false],
    ['e-mail address', shapeOf('e'), 'ada', false],
    ['e-mail address', shapeOf('e'), 'ada@', false],
    ['e-mail address', shapeOf('e'), '@example.com', false],
    ['e-mail address', shapeOf('e'), 'a b@example.com', false],
    ['e-mail address', shapeOf('e'), 'a@b@example.com', false],
    ['e-mail address', shapeOf('e'), `${'a'.repeat(400)}@example.com`, false],
    ['UUID', shapeOf('u'), '1f6c2f2e-3a51-4a5c-9c0d-0f2f6a7b8c9d', true],
    ['UUID', shapeOf('u'), '1f6c2f2e3a514a5c9c0d0f2f6a7b8c9d', false],
  ])('checks the format %s: %j, %j: %s', (_, shape, text, isRight) => {
    expect(check(shape, text)).toHaveLength(isRight ? 0 : 1)
  })

  it('reports the violations of the matching variant', () => {
    const { response } = operationOf('sessions.messages.list')
    const content = [{ type: 'text', text: 5 }, { type: 'hologram', text: 5 }, { text: 'x' }]
    const message = { id: 'm', role: 'user', content, createdAt: 1, updatedAt: 1 }
    const page = { messages: [message], pagination: { hasMore: false } }
    expect(check(response ?? {}, page)).toEqual([
      { path: ['messages', 0, 'content', 0, 'text'], problem: 'must be a string' },
      { path: ['messages', 0, 'content', 2, 'type'], problem: 'is missing' },
    ])
  })

  it('stops after ten thousand violations, since a small response may hold millions', () => {
    const { response } = operationOf('sessions.messages.list')
    const messages = Array.from({ length: 100_000 }, (_, n) => (n % 2 ? 0 : { content: [{}] }))
    const found = check(response ?? {}, { messages }).length
    expect(found).toBeGreaterThan(10_000)
    expect(found).toBeLessThan(10_100)
  })

  it('compares a number with the field that limits it', () => {
    const shape = shapeOf('{part:n(0-whole),whole:n}')
    expect(check(shape, { part: 2, whole: 1 })).toEqual([
      { path: ['part'], problem: 'must be at most whole' },
    ])
    expect(check(shape, { part: 1, whole: 1 })).toEqual([])
  })

  it('ignores inherited properties', () => {
    const shape = shapeOf('{constructor?:s}')
    expect(check(shape, {})).toEqual([])
  })
})
