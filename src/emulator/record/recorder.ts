import type * as z from 'zod'
import { Computer } from '../../api/endpoints/computers.ts'
import type { Endpoint } from '../../api/endpoints/endpoint.ts'
import { ReadinessReport } from '../../api/endpoints/readiness.ts'
import { Message } from '../../api/endpoints/sessions.ts'
import { isObject } from '../../is-object.ts'
import type { SeedInput } from '../state/seed.ts'
import { Facts, type Fields } from './facts.ts'
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

/** Told what is not kept, with text of ours alone. */
type Note = (text: string) => void

interface Tools {
  facts: Facts
  note: Note
  /** What may be kept of an entry; undefined if it lacks known fields. */
  keep<Kept>(schema: z.ZodType<Kept>, value: unknown, prefix?: string): Kept | undefined
}

type Reader = (exchange: Exchange, tools: Tools) => void

const globalLimit: Reader = ({ responseBody }, { facts }) => facts.setGlobalLimit(responseBody)

const computer: Reader = ({ responseBody }, { facts, keep }) => {
  const fields = fieldsOf(responseBody)
  const kept = keep(Computer(), fields, 'comp')
  if (kept) facts.addComputer(String(fields.id), kept, fields)
}

/** What the response of each endpoint says about the state of the service. */
const readers: Readonly<Record<string, Reader>> = {
  'serviceAccounts.keys.rotate': ({ params }, { facts }) =>
    facts.addKey(params.serviceAccountId, params.keyId),
  'organization.limits.getGlobal': globalLimit,
  'organization.limits.setGlobal': globalLimit,
  'organization.limits.setUsers': ({ responseBody }, { facts }) => {
    for (const entry of itemsOf(fieldsOf(responseBody).updated)) facts.addUserLimit(entry)
  },
  'organization.users.remove': ({ query, requestBody }, { facts }) =>
    facts.addEmail(query.get('email') ?? fieldsOf(requestBody).email),
  'sessions.create': ({ requestBody, responseBody }, { facts, note }) => {
    note('sessions.create: settings and status are left out; a recorded session is idle')
    const session = fieldsOf(responseBody)
    const computerId = session.computerId ?? fieldsOf(requestBody).computerId
    facts.addSession(session.sessionId, computerId, session)
  },
  'sessions.messages.add': ({ params, requestBody }, { facts, note }) => {
    note('sessions.messages.add: what the agent does is left out; write it as "agent"')
    facts.addSession(params.sessionId, fieldsOf(requestBody).computerId)
  },
  'sessions.messages.list': ({ params, query, responseBody }, { facts, note, keep }) => {
    note('sessions.messages.list: images, files, inputs and results of tools are left out')
    const session = facts.addSession(params.sessionId, query.get('computerId'))
    for (const entry of itemsOf(fieldsOf(responseBody).messages)) {
      const kept = keep(Message(), entry, 'msg')
      if (kept) session?.messages.set(kept.id, kept)
    }
  },
  'computers.getByName': computer,
  'computers.get': computer,
  'computers.refresh': ({ params, responseBody }, { facts, note }) => {
    facts.knowComputer(params.computerId)
    if (!facts.setIntegrations(fieldsOf(responseBody).configured))
      note('computers.refresh: the number of integrations is left out unless it is from 0 to 100')
  },
  'computers.delete': ({ params }, { facts }) => void facts.knowComputer(params.computerId),
  'analytics.users': ({ responseBody }, { facts }) => {
    for (const row of itemsOf(fieldsOf(responseBody).data)) facts.addUser(row)
  },
  'readiness.reports': ({ query, responseBody }, { facts, keep }) => {
    for (const entry of itemsOf(fieldsOf(responseBody).reports)) {
      const kept = keep(ReadinessReport(), entry)
      if (kept) facts.addReport(kept, String(entry.repoUrl), query.get('repoId'))
    }
  },
}

/**
 * Collects what exchanges say about the state of a service, as far as the emulator can represent it. Originals stay in
 * memory only: what `seed` returns has none of them.
 */
export function makeRecorder(note: Note) {
  const madeUp = makeMadeUp()
  const facts = new Facts(madeUp)
  const read = (exchange: Exchange) => {
    const { id } = exchange.endpoint
    readers[id]?.(exchange, {
      facts,
      note,
      keep(schema, value, prefix) {
        const { success, data } = schema.safeParse(scrub(schema, value, madeUp, prefix))
        if (!success) note(`${id}: an entry without the known fields is left out`)
        return data
      },
    })
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
      read(exchange)
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
