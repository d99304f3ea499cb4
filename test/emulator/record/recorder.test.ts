import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../../src/api/endpoints/endpoint.ts'
import { api, listEndpoints } from '../../../src/api/endpoints/index.ts'
import { type Exchange, makeRecorder } from '../../../src/emulator/record/recorder.ts'
import { parseSeed } from '../../../src/emulator/state/seed.ts'
import { anyJson, valuesOf } from '../../api/_arbitrary.ts'
import { runs } from '../../support/runs.ts'
import { startTestEmulator } from '../_support.ts'
import { MARK, missingIn, withMarks } from './_personal.ts'

const person = fc.string({ minLength: 1, maxLength: 3 })

/** Anything, with texts where the service may have names, and fields that nobody knows. */
const strange = fc
  .record({
    id: person,
    name: person,
    computerId: person,
    email: person,
    piiPhase: person,
    more: anyJson,
  })
  .map((value) => ({
    ...value,
    messages: [{ ...value, role: 'user', content: [value], createdAt: 1, updatedAt: 1 }],
    data: [{ user_id: value.id, user_email: value.email }],
    updated: [{ email: value.email, limit: 5 }],
  }))

/** An exchange as a service may have it: a valid response, one with more fields, or any JSON. */
const exchanges: fc.Arbitrary<Exchange> = fc.constantFrom(...listEndpoints()).chain((endpoint) => {
  const valid = valuesOf(endpoint.response, 'output')
  const more = fc.tuple(valid, strange).map(([value, extra]) => ({ ...extra, ...Object(value) }))
  const names = Object.keys(endpoint.params?.shape ?? {})
  return fc.record({
    endpoint: fc.constant<Endpoint>(endpoint),
    params: fc
      .record(Object.fromEntries(names.map((name) => [name, person])))
      .map((value) => withMarks(value) as Exchange['params']),
    query: fc
      .record({ computerId: person, repoId: person, email: person })
      .map((value) => new URLSearchParams(withMarks(value) as Record<string, string>)),
    requestBody: strange.map(withMarks),
    status: fc.constantFrom(...endpoint.success, ...endpoint.success, 404),
    responseBody: fc.oneof(valid, more, strange, anyJson).map(withMarks),
  })
})

describe('recorder', () => {
  it('writes nothing personal, and a seed that is valid, whatever a service answers', () => {
    const property = fc.property(fc.array(exchanges, { maxLength: 12 }), (all) => {
      const notes: string[] = []
      const recorder = makeRecorder((text) => notes.push(text))
      for (const exchange of all) recorder.add(exchange)
      const text = JSON.stringify([recorder.seed(), notes])
      expect(text).not.toMatch(MARK)
      parseSeed(JSON.parse(text)[0])
    })
    fc.assert(property, { numRuns: runs(1000) })
  })

  it('makes an emulator whose responses have the same shapes, with the same references', async () => {
    const emulator = await startTestEmulator()
    const { getByName, get } = api.computers
    const { list } = api.sessions.messages
    const property = fc.asyncProperty(
      valuesOf(get.response, 'output'),
      valuesOf(list.response, 'output'),
      valuesOf(api.readiness.reports.response, 'output'),
      async (...given) => {
        const [computer, history, reports] = given.map(withMarks) as Answers
        const recorder = makeRecorder(() => undefined)
        // Each message answers the one before.
        const messages = unique(history.messages, 'id').map((message, at, all) => ({
          ...message,
          parentId: all[at - 1]?.id ?? 'Pii',
        }))
        const readiness = { reports: unique(reports.reports, 'reportId') }
        const add = (endpoint: Endpoint, params: Record<string, string>, responseBody: unknown) =>
          recorder.add({
            endpoint,
            params,
            responseBody,
            query: new URLSearchParams(),
            requestBody: '',
            status: 200,
          })
        add(getByName, { name: String(computer.name) }, computer)
        add(list, { sessionId: 'Pii' }, { messages })
        add(api.readiness.reports, {}, readiness)
        const seed = recorder.seed()
        emulator.reset(JSON.parse(JSON.stringify(seed)))
        const key = seed.users?.[0]?.apiKey ?? ''

        const { ownerPrincipalKind: _, ...fields } = computer
        const path = `/api/v0/computers/${emulator.state().computers[0]?.id}`
        expect(missingIn((await emulator.get(path, { key })).body, fields)).toEqual([])

        const sessionId = emulator.state().sessions[0]?.id
        const listed = await emulator.get(`/api/v0/sessions/${sessionId}/messages?limit=100`, {
          key,
        })
        const sorted = messages.toSorted((one, other) => one.createdAt - other.createdAt)
        expect(missingIn(listed.body.messages, sorted)).toEqual([])
        const parents = (all: Message[]) =>
          all.map(({ parentId }) => all.findIndex(({ id }) => id === parentId))
        expect(parents(listed.body.messages)).toEqual(parents(sorted))

        const app = await emulator.get('/api/organization/maturity-level-reports', { key })
        const newest = readiness.reports.toSorted((one, other) => other.createdAt - one.createdAt)
        expect(withoutKeys(missingIn(app.body.reports, newest))).toEqual([])
      },
    )
    await fc.assert(property, { numRuns: runs(250) })
  })
})

interface Message {
  id: string
  parentId?: string
  createdAt: number
}

type Answers = [
  computer: Record<string, unknown>,
  history: { messages: Message[] },
  reports: { reports: { reportId: string; createdAt: number }[] },
]

function unique<Item extends object>(items: readonly Item[], name: string & keyof Item): Item[] {
  return items.filter((item, at) => items.findIndex((one) => one[name] === item[name]) === at)
}

/** Paths and criteria are made up, so their names differ. */
function withoutKeys(missing: readonly string[]) {
  return missing.filter((path) => !/\.(apps|report)\./.test(path))
}
