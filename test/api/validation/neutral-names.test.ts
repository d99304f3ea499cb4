import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addNeutralNames,
  nameCredits,
  nameProviderFields,
} from '../../../src/api/validation/neutral-names.ts'
import { operationOf } from '../_support.ts'

const list = operationOf('sessions.messages.list')
const create = operationOf('sessions.create')
const message = { id: 'm', role: 'assistant', content: [], createdAt: 1, updatedAt: 1 }
const page = (...messages: object[]) => ({ messages, pagination: { hasMore: false } })
const session = { sessionId: 's', status: 'idle', messageCount: 0, createdAt: 1, updatedAt: 1 }

const suffixes = [
  'MessageId',
  'Phase',
  'EncryptedContent',
  'ReasoningId',
  'ReasoningSummary',
  'ThoughtSignature',
]
// Not a word of our own, such as `parent`, which no provider is called.
const company = fc.stringMatching(/^[a-z]{1,8}(AI|Labs|[0-9])?$/).map((name) => `zz${name}`)

/** A copy in which hidden fields show. */
function unhide(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unhide)
  if (typeof value !== 'object' || value === null) return value
  const names = Object.getOwnPropertyNames(value)
  return Object.fromEntries(names.map((name) => [name, unhide(Reflect.get(value, name))]))
}

describe('fields that are named after a company', () => {
  it('get neutral names whatever the prefix', () => {
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

  it('are kept, like everything else, whatever it is', () => {
    const key = fc.oneof(
      fc.string(),
      fc.tuple(company, fc.constantFrom(...suffixes)).map((a) => a.join('')),
    )
    const property = fc.property(fc.dictionary(key, fc.anything()), (given) => {
      for (const named of [Object(nameProviderFields(given)), Object(nameCredits(given))]) {
        for (const [name, value] of Object.entries(given)) expect(named[name]).toBe(value)
        expect(Object.keys(named).slice(0, Object.keys(given).length)).toEqual(Object.keys(given))
      }
    })
    fc.assert(property)
  })

  it('are looked for in anything without a fault', () => {
    const property = fc.property(fc.anything(), (value) => {
      for (const { neutralNames = {} } of [list, create]) {
        expect(() => addNeutralNames(value, neutralNames)).not.toThrow()
        const answer = { messages: value, sessionSettings: value }
        expect(() => addNeutralNames(answer, neutralNames)).not.toThrow()
      }
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
  ])('are not mistaken for %s', (key) => {
    const given = { ...message, [key]: 'value' }
    expect(nameProviderFields(given)).toBe(given)
  })

  it('do not replace a field the service sends itself, nor take a value of another type', () => {
    const own = { providerPhase: 'own', openaiPhase: 'other', openaiMessageId: null }
    expect(nameProviderFields(own)).toBe(own)
    const usage = { credits: 1, acmeCredits: 2 }
    expect(nameCredits(usage)).toBe(usage)
    expect(nameCredits({ acmeCredits: '2', totalCredits: 3 })).not.toHaveProperty('credits')
  })

  it('are named wherever the endpoints send them', () => {
    const usage = { thinkingTokens: 1, acmeCredits: 2 }
    const sessionSettings = {
      tokenUsage: usage,
      inclusiveTokenUsage: usage,
      childInclusiveTokenUsageBySessionId: { child: usage },
    }
    const named = { ...usage, credits: 2 }
    const withCredits = addNeutralNames({ ...session, sessionSettings }, create.neutralNames ?? {})
    expect(withCredits).toEqual({ ...session, sessionSettings })
    expect(unhide(withCredits)).toEqual({
      ...session,
      sessionSettings: {
        tokenUsage: named,
        inclusiveTokenUsage: named,
        childInclusiveTokenUsageBySessionId: { child: named },
      },
    })
    const given = { ...message, acmePhase: 'commentary', betaThoughtSignature: 'x' }
    expect(unhide(addNeutralNames(page(given), list.neutralNames ?? {}))).toEqual(
      page({ ...given, providerPhase: 'commentary', providerThoughtSignature: 'x' }),
    )
  })
})
