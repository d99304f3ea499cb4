import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { api } from '../../src/api/endpoints/index.ts'
import { AnyErrorBody, ErrorBody } from '../../src/api/schemas/error-body.ts'
import { nameMessageFields } from '../../src/api/schemas/message.ts'
import { nameCredits, nameProviderFields } from '../../src/api/schemas/provider-fields.ts'
import { nameSessionFields } from '../../src/api/schemas/session.ts'

const message = { id: 'm', role: 'assistant', content: [], createdAt: 1, updatedAt: 1 }
const page = (...messages: object[]) => ({ messages, pagination: { hasMore: false } })
const computer = { id: 'c', name: 'box', providerType: 'byom', createdAt: 1 }
const session = { sessionId: 's', status: 'idle', messageCount: 0, createdAt: 1, updatedAt: 1 }
const report = { reportId: 'r', createdAt: 1, repoUrl: 'u', apps: {}, report: {} }
const points = (numerator: number, denominator: number) => ({
  reports: [{ ...report, report: { lint: { numerator, denominator, rationale: 'why' } } }],
})

const messages = api.sessions.messages.list.response
const { create } = api.sessions
const reports = api.readiness.reports.response

describe('responses of tomorrow', () => {
  it.each([
    [messages, page({ ...message, role: 'critic', visibility: 'staff', openaiPhase: null })],
    [messages, page({ ...message, content: [{ type: 'hologram', text: { depth: 3 } }] })],
    [messages, { ...page(), pagination: { hasMore: false, nextCursor: null, total: 0 } }],
    [create.response, { ...session, status: 'paused', sessionSettings: { mood: 'good' } }],
    [api.computers.get.response, { ...computer, providerType: 'moon', status: 'asleep' }],
    [api.computers.get.response, { ...computer, computerSource: { kind: 'snapshot', at: 1 } }],
    [api.computers.get.response, { ...computer, computerSource: { image: 'x' } }],
    [reports, { reports: [{ ...report, modelUsed: { id: 'm', reasoningEffort: 'max' } }] }],
    [api.organization.limits.getGlobal.response, { limit: null, since: 1 }],
    [api.automations.ci.scan.response, ['anything']],
  ])('pass unchanged (%#)', (schema, response) => {
    expect(schema.parse(response)).toEqual(response)
  })

  it.each([
    [messages, page({ ...message, content: [{ type: 'text', text: 5 }] })],
    [messages, page({ ...message, content: [{ text: 'no type' }] })],
    [messages, { messages: [] }],
    [create.response, { ...session, messageCount: 0.5 }],
    [api.computers.get.response, { ...computer, computerSource: { kind: 'template' } }],
    [api.organization.limits.getGlobal.response, { limit: -1 }],
    [api.organization.limits.getGlobal.response, {}],
    [reports, points(2, 1)],
    [reports, points(-1, 1)],
    [reports, points(0, 0)],
  ])('are told from responses that break what is known (%#)', (schema, response) => {
    expect(schema.safeParse(response).success).toBe(false)
  })

  it('mark the one-time key as a secret', () => {
    const { apiKey } = api.serviceAccounts.keys.rotate.response.shape
    expect(apiKey.shape.value.meta()).toMatchObject({ secret: true })
  })

  it('have one error body, and clients take its relatives as well', () => {
    const body = { detail: 'No such key', status: 404, title: 'Not Found' }
    expect(ErrorBody().safeParse({ ...body, metadata: { a: 1 } }).success).toBe(true)
    expect(ErrorBody().safeParse({ ...body, more: 1 }).success).toBe(false)
    expect(AnyErrorBody().parse({ ...body, requestId: 'r' })).toEqual({ ...body, requestId: 'r' })
    expect(AnyErrorBody().parse({ error: 'late' })).toEqual({ error: 'late' })
  })
})

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

describe('fields that are named after a company', () => {
  it('get neutral names whatever the prefix', () => {
    const property = fc.property(company, fc.constantFrom(...suffixes), (prefix, suffix) => {
      const given = { ...message, [prefix + suffix]: 'value' }
      expect(nameProviderFields(given)).toEqual({ ...given, [`provider${suffix}`]: 'value' })
      const usage = { inputTokens: 1, [`${prefix}Credits`]: 7 }
      expect(nameCredits(usage)).toEqual({ ...usage, credits: 7 })
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
      for (const name of [nameMessageFields, nameSessionFields, nameProviderFields, nameCredits]) {
        expect(() => name(value)).not.toThrow()
        expect(() => name({ messages: value, sessionSettings: value })).not.toThrow()
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
    expect(create.normalize({ ...session, sessionSettings })).toEqual({
      ...session,
      sessionSettings: {
        tokenUsage: named,
        inclusiveTokenUsage: named,
        childInclusiveTokenUsageBySessionId: { child: named },
      },
    })
    const given = { ...message, acmePhase: 'commentary', betaThoughtSignature: 'x' }
    expect(api.sessions.messages.list.normalize(page(given))).toEqual(
      page({ ...given, providerPhase: 'commentary', providerThoughtSignature: 'x' }),
    )
  })
})
