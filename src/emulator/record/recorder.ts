import type * as z from 'zod'
import { Computer } from '../../api/endpoints/computers.ts'
import type { Endpoint } from '../../api/endpoints/endpoint.ts'
import { ReadinessReport } from '../../api/endpoints/readiness.ts'
import { Message } from '../../api/endpoints/sessions.ts'
import { isObject } from '../../is-object.ts'
import type { SeedInput } from '../state/seed.ts'
import { type Fields, makeFacts } from './facts.ts'
import { makeMadeUp } from './made-up.ts'
import { makeSeed } from './make-seed.ts'
import { scrub } from './scrub.ts'

/** A request for an endpoint and its response, before anything of it is made up. */
export interface Exchange {
  endpoint: Endpoint
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  requestBody: unknown
  status: number
  responseBody: unknown
}

/**
 * Collects what exchanges say about the state of a service, as far as the emulator can represent it. Originals stay in
 * memory only: what `seed` returns has none of them.
 *
 * @param note is told what is not kept, with text of ours alone
 */
export function makeRecorder(note: (text: string) => void) {
  const madeUp = makeMadeUp()
  const facts = makeFacts(madeUp)
  const keep = <Kept>(
    { endpoint }: Exchange,
    schema: z.ZodType<Kept>,
    value: unknown,
    prefix?: string,
  ): Kept | undefined => {
    const { success, data } = schema.safeParse(scrub(schema, value, madeUp, prefix))
    if (!success) note(`${endpoint.id}: an entry without the known fields is left out`)
    return data
  }

  const computer = (exchange: Exchange) => {
    const fields = fieldsOf(exchange.responseBody)
    const kept = keep(exchange, Computer(), fields, 'comp')
    if (kept) facts.addComputer(String(fields.id), kept as Fields, fields)
  }

  const readers: Readonly<Record<string, (exchange: Exchange) => void>> = {
    'serviceAccounts.keys.rotate': ({ params }) =>
      facts.addKey(params.serviceAccountId, params.keyId),
    'organization.limits.getGlobal': ({ responseBody }) => facts.setGlobalLimit(responseBody),
    'organization.limits.setGlobal': ({ responseBody }) => facts.setGlobalLimit(responseBody),
    'organization.limits.setUsers': ({ responseBody }) => {
      for (const entry of itemsOf(fieldsOf(responseBody).updated)) facts.addUserLimit(entry)
    },
    'organization.users.remove': ({ query, requestBody }) =>
      facts.addEmail(query.get('email') ?? fieldsOf(requestBody).email),
    'sessions.create': ({ requestBody, responseBody }) => {
      note('sessions.create: settings and status are left out; a recorded session is idle')
      const { sessionId, computerId } = fieldsOf(responseBody)
      facts.addSession(
        sessionId,
        computerId ?? fieldsOf(requestBody).computerId,
        fieldsOf(responseBody),
      )
    },
    'sessions.messages.add': ({ params, requestBody }) => {
      note('sessions.messages.add: what the agent does is left out; write it as "agent"')
      facts.addSession(params.sessionId, fieldsOf(requestBody).computerId)
    },
    'sessions.messages.list': (exchange) => {
      note('sessions.messages.list: images, files, inputs and results of tools are left out')
      const { params, query, responseBody } = exchange
      const session = facts.addSession(params.sessionId, query.get('computerId'))
      for (const entry of itemsOf(fieldsOf(responseBody).messages)) {
        const kept = keep(exchange, Message(), entry, 'msg')
        if (kept) session?.messages.set(kept.id, kept as Fields)
      }
    },
    'computers.getByName': computer,
    'computers.get': computer,
    'computers.refresh': ({ params, responseBody }) => {
      facts.knowComputer(params.computerId)
      if (!facts.setIntegrations(fieldsOf(responseBody).configured))
        note('computers.refresh: a number of integrations beyond 100 is left out')
    },
    'computers.delete': ({ params }) => void facts.knowComputer(params.computerId),
    'analytics.users': ({ responseBody }) => {
      for (const row of itemsOf(fieldsOf(responseBody).data)) facts.addUser(row)
    },
    'readiness.reports': (exchange) => {
      const { query, responseBody } = exchange
      for (const entry of itemsOf(fieldsOf(responseBody).reports)) {
        const kept = keep(exchange, ReadinessReport(), entry)
        if (kept) facts.addReport(kept as Fields, String(entry.repoUrl), query.get('repoId'))
      }
    },
  }

  return {
    add(exchange: Exchange) {
      const { endpoint, params, status } = exchange
      const { id, success, passthrough } = endpoint
      if (!success.includes(status)) return note(`${id}: a response with ${status} is left out`)
      if (endpoint.method === 'DELETE' && status === 204) facts.deletionStatus = status
      if (passthrough)
        note(`${id}: the response is not documented, so the emulator has one of its own`)
      if (id.startsWith('analytics.')) {
        note('analytics: the figures are left out; the emulator makes up its own')
        facts.setOrganization(fieldsOf(fieldsOf(exchange.responseBody).meta).org_id)
      }
      facts.addWikiRun(params.wikiRunId)
      readers[id]?.(exchange)
    },
    seed: (): SeedInput => makeSeed(facts),
  }
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

function itemsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
