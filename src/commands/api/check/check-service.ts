import * as z from 'zod'
import type { Endpoint } from '../../../api/endpoints/endpoint.ts'
import { listEndpoints } from '../../../api/endpoints/index.ts'
import { type Client, isClientError } from '../../../api/index.ts'
import { HookbellError } from '../../../errors.ts'
import { type Answer, type Ask, type Input, makeAsk } from './ask.ts'
import { type Check, checksOf, type Problem } from './checks.ts'

export interface Deviation extends Problem {
  endpoint: string
  sent: string
}

export interface Report {
  checked: string[]
  skipped: { endpoint: string; why: string }[]
  deviations: Deviation[]
}

interface Options {
  /** IDs and names of things that exist, by input. */
  given: Input
  /** Whether the URL of the readiness reports is known. */
  hasApp: boolean
  /** Whether calls that change something are allowed. */
  mayWrite: boolean
  /** Whether calls that cannot be undone are allowed. */
  mayDestroy: boolean
}

/** Calls the endpoints of a service that may be called, one request after the other. */
export async function checkService(client: Client, options: Options): Promise<Report> {
  const report: Report = { checked: [], skipped: [], deviations: [] }
  for (const endpoint of listEndpoints()) {
    const input = inputOf(endpoint, options.given)
    const ask = makeAsk(client, endpoint)
    const why =
      reasonToSkip(endpoint, input, options) ?? (await reasonOf(endpoint, input, ask, report))
    if (why) report.skipped.push({ endpoint: endpoint.id, why })
    else await checkEndpoint(endpoint, input, ask, report)
  }
  return report
}

async function checkEndpoint(endpoint: Endpoint, input: Input, ask: Ask, report: Report) {
  for (const check of inOrder(endpoint, checksOf(endpoint, input))) {
    const { sent } = check
    const problems = await check.run(ask).catch(unanswered)
    report.deviations.push(...problems.map((one) => ({ endpoint: endpoint.id, sent, ...one })))
  }
  report.checked.push(endpoint.id)
}

/**
 * Of a call that changes something, what must be refused comes first, and the valid one once, at the end: a deleted thing
 * cannot be asked about, and a limit must be what it was. Further allowed values would only change more.
 */
function inOrder({ method }: Endpoint, checks: readonly Check[]): Check[] {
  if (method === 'GET') return [...checks]
  const valid = checks.filter(({ kind }) => kind === 'response')
  return [...checks.filter(({ kind }) => kind !== 'response' && kind !== 'allowed'), ...valid]
}

function unanswered(error: unknown): Problem[] {
  if (!isClientError(error) || (error.kind !== 'network' && error.kind !== 'timeout')) throw error
  return [{ came: error.message, rule: 'every request gets a response' }]
}

function reasonToSkip(endpoint: Endpoint, input: Input, options: Options): string | undefined {
  const { method, host, irreversible, passthrough } = endpoint
  if (method !== 'GET' && !options.mayWrite) return 'changes something: needs --write'
  if (irreversible && !options.mayDestroy) return 'cannot be undone: needs --irreversible'
  if (method !== 'GET' && passthrough) return 'its input is not documented'
  if (host === 'app' && !options.hasApp) return 'needs --app-url'
  const missing = requiredOf(endpoint).filter((name) => input[name] === undefined)
  if (missing.includes('limit')) return 'its limit could not be restored'
  const flags = missing.map((name) => (name === 'users' ? '--email' : flagOf(name)))
  return flags.length > 0 ? `needs ${flags.join(' and ')}` : undefined
}

const whys: Readonly<Record<number, string>> = {
  403: 'not permitted with this key (403)',
  404: 'not found (404)',
  429: 'too many requests (429)',
}

/** Why an endpoint that only reads cannot be checked with this key and these IDs. */
async function reasonOf({ method }: Endpoint, input: Input, ask: Ask, { checked }: Report) {
  if (method !== 'GET') return undefined
  const answer = await ask(input).catch((error: unknown): Answer => {
    // Nothing has answered yet, so there is no service at this URL.
    if (checked.length === 0) throw error
    return { status: 0, body: undefined, isJson: false }
  })
  if (answer.status === 401 && checked.length === 0)
    throw new HookbellError('E_PERMISSION', 'api check: the service does not accept the key (401)')
  return whys[answer.status]
}

/** The required inputs alone: nothing is known of what else this service accepts. */
function inputOf(endpoint: Endpoint, given: Input): Input {
  const values: Input = {
    ...periodBefore(Date.now()),
    text: 'A check by hookbell',
    users: given.email === undefined ? undefined : [{ email: given.email, limit: USER_LIMIT }],
    ...given,
  }
  return Object.fromEntries(requiredOf(endpoint).map((name) => [name, values[name]]))
}

const USER_LIMIT = 1_500_000

function requiredOf({ params, query, body }: Endpoint): string[] {
  return [params, query, body].flatMap((schema) =>
    schema ? (z.toJSONSchema(schema, { io: 'input' }).required ?? []) : [],
  )
}

const DAY_MS = 86_400_000

/** The two days before today, which have figures already. */
function periodBefore(now: number) {
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
  return { startDate: dayOf(now - 2 * DAY_MS), endDate: dayOf(now - DAY_MS) }
}

/** `--computer-id` for `computerId`. */
export function flagOf(input: string): string {
  return `--${input.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
