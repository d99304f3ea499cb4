import { describe, expect, it } from 'vitest'
import { api } from '../../../src/api/endpoints/index.ts'
import { AnyErrorBody, ErrorBody } from '../../../src/api/reference/openapi.ts'

const message = { id: 'm', role: 'assistant', content: [], createdAt: 1, updatedAt: 1 }
const page = (...messages: object[]) => ({ messages, pagination: { hasMore: false } })
const computer = { id: 'c', name: 'box', providerType: 'byom', createdAt: 1 }
const session = { sessionId: 's', status: 'idle', messageCount: 0, createdAt: 1, updatedAt: 1 }
const report = {
  reportId: '1f6c2f2e-3a51-4a5c-9c0d-0f2f6a7b8c9d',
  createdAt: 1,
  repoUrl: 'u',
  apps: {},
  report: {},
}
const points = (numerator: number, denominator: number) => ({
  reports: [{ ...report, report: { lint: { numerator, denominator, rationale: 'why' } } }],
})

const messages = api.sessions.messages.list.response
const { create } = api.sessions
const reports = api.readiness.reports.response

describe('response schemas', () => {
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
  ])('accept unknown values and fields unchanged (%#)', (schema, response) => {
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
  ])('reject responses with invalid known fields (%#)', (schema, response) => {
    expect(schema.safeParse(response).success).toBe(false)
  })

  it('mark the one-time key as a secret', () => {
    const { apiKey } = api.serviceAccounts.keys.rotate.response.shape
    expect(apiKey.shape.value.meta()).toMatchObject({ secret: true })
  })

  it('have one strict error body, and a lenient one for clients', () => {
    const body = { detail: 'No such key', status: 404, title: 'Not Found' }
    expect(ErrorBody().safeParse({ ...body, metadata: { a: 1 } }).success).toBe(true)
    expect(ErrorBody().safeParse({ ...body, more: 1 }).success).toBe(false)
    expect(AnyErrorBody().parse({ ...body, requestId: 'r' })).toEqual({ ...body, requestId: 'r' })
    expect(AnyErrorBody().parse({ error: 'late' })).toEqual({ error: 'late' })
  })
})
