import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { check } from '../../../src/api/validation/check.ts'
import { type Shape, shape } from '../../../src/api/validation/shape.ts'
import { operationOf } from '../_support.ts'

const suffixes = [
  'MessageId',
  'Phase',
  'EncryptedContent',
  'ReasoningId',
  'ReasoningSummary',
  'ThoughtSignature',
]

/** The shapes of session messages and of their token usage. */
const named = shape(`{${suffixes.map((suffix) => `provider${suffix}~`).join()}:s}`)
const usageShape = shape('{credits~:n}')

/** A copy of the value with the neutral names that the shape defines. */
function withNames<Value>(of: Shape, value: Value): Value {
  const copy = structuredClone(value)
  check(of, copy)
  return copy
}
const nameProviderFields = (value: unknown) => withNames(named, value)
const nameCredits = (value: unknown) => withNames(usageShape, value)

const list = operationOf('sessions.messages.list')
const create = operationOf('sessions.create')
const message = { id: 'm', role: 'assistant', content: [], createdAt: 1, updatedAt: 1 }
const page = (...messages: object[]) => ({ messages, pagination: { hasMore: false } })
const session = { sessionId: 's', status: 'idle', messageCount: 0, createdAt: 1, updatedAt: 1 }

// The prefix `zz` excludes ordinary words such as `parent`, which do not name a provider.
const company = fc.stringMatching(/^[a-z]{1,8}(AI|Labs|[0-9])?$/).map((name) => `zz${name}`)

/** A copy in which hidden properties are visible. */
function unhide(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unhide)
  if (typeof value !== 'object' || value === null) return value
  const names = Object.getOwnPropertyNames(value)
  return Object.fromEntries(names.map((name) => [name, unhide(Reflect.get(value, name))]))
}

describe('fields with a company prefix', () => {
  it('get neutral names for any prefix', () => {
    const property = fc.property(company, fc.constantFrom(...suffixes), (prefix, suffix) => {
      const given = { ...message, [prefix + suffix]: 'value' }
      expect(unhide(nameProviderFields(given))).toEqual({
        ...given,
        [`provider${suffix}`]: 'value',
      })
      const usage = { inputTokens: 1, [`${prefix}Credits`]: 7 }
      expect(unhide(nameCredits(usage))).toEqual({ ...usage, credits: 7 })
    })
    fc.assert(property)
  })

  it('are kept with any name and value', () => {
    const key = fc.oneof(
      fc.string(),
      fc.tuple(company, fc.constantFrom(...suffixes)).map((a) => a.join('')),
    )
    const property = fc.property(fc.dictionary(key, fc.jsonValue()), (given) => {
      for (const copy of [Object(nameProviderFields(given)), Object(nameCredits(given))]) {
        for (const [name, value] of Object.entries(given)) expect(copy[name]).toEqual(value)
        expect(Object.keys(copy)).toEqual(Object.keys(given))
      }
    })
    fc.assert(property)
  })

  it('are searched for in any JSON value without an exception', () => {
    const property = fc.property(fc.jsonValue(), (value) => {
      for (const { response } of [list, create])
        for (const answer of [value, { messages: value, sessionSettings: value }])
          expect(() => check(response ?? {}, answer)).not.toThrow()
    })
    fc.assert(property)
  })

  it.each([
    'chatCompletionReasoningField',
    'chatCompletionReasoningContent',
    'chatCompletionReasoningId',
    'parentId',
    'parentMessageId',
    'previousMessageId',
    'modelId',
    'routerId',
    'hookToolCallId',
    'hookPhase',
    'parallelGroupId',
    'messageId',
    'phase',
    'MessageId',
    'reasoningEffort',
  ])('do not include %s', (key) => {
    const given = { ...message, [key]: 'value' }
    expect(unhide(nameProviderFields(given))).toEqual(given)
  })

  it('do not replace fields of the service, and need a value of the expected type', () => {
    const own = { providerPhase: 'own', openaiPhase: 'other', openaiMessageId: null }
    expect(unhide(nameProviderFields(own))).toEqual(own)
    const usage = { credits: 1, acmeCredits: 2 }
    expect(unhide(nameCredits(usage))).toEqual(usage)
    expect(nameCredits({ acmeCredits: '2', totalCredits: 3 })).not.toHaveProperty('credits')
  })

  it('get neutral names in every endpoint that sends them', () => {
    const usage = { thinkingTokens: 1, acmeCredits: 2 }
    const sessionSettings = {
      tokenUsage: usage,
      inclusiveTokenUsage: usage,
      childInclusiveTokenUsageBySessionId: { child: usage },
    }
    const withCredit = { ...usage, credits: 2 }
    const withCredits = withNames(create.response ?? {}, { ...session, sessionSettings })
    expect(withCredits).toEqual({ ...session, sessionSettings })
    expect(unhide(withCredits)).toEqual({
      ...session,
      sessionSettings: {
        tokenUsage: withCredit,
        inclusiveTokenUsage: withCredit,
        childInclusiveTokenUsageBySessionId: { child: withCredit },
      },
    })
    const given = { ...message, acmePhase: 'commentary', betaThoughtSignature: 'x' }
    expect(unhide(withNames(list.response ?? {}, page(given)))).toEqual(
      page({ ...given, providerPhase: 'commentary', providerThoughtSignature: 'x' }),
    )
  })
})
