import type { Endpoint } from '../../api/endpoints/endpoint.ts'
import { everything, listEndpoints } from '../../api/endpoints/index.ts'
import { type CallOptions, type Client, PageList } from '../../api/index.ts'
import { askYesNo } from '../../cli/ask.ts'
import { usageError } from '../../errors.ts'
import { oneLine } from '../../text/clean.ts'
import { endedByInterrupt, withClient } from './client.ts'
import { failOnPartialFailure } from './errors.ts'
import { fieldsOf } from './fields.ts'
import type { Flag } from './flags.ts'
import { printList, printResponse, printTable } from './print-response.ts'
import { listIn } from './response-table.ts'

/** How a response is printed. */
export interface Formats {
  json?: boolean
  table?: boolean
  all?: boolean
}

/** Exit code of a deletion whose response was lost and whose retry got a 404. */
const REPLAYED = 3

/** Calls an endpoint and prints its response. Returns the exit code. */
export function callEndpoint(
  endpoint: Endpoint,
  flags: readonly Flag[],
  input: Record<string, unknown>,
  { json = false, table = false, all = false }: Formats,
): Promise<number> {
  const command = `api ${endpoint.id}`
  return withClient(
    command,
    async (client) => {
      const options = endpoint.method === 'GET' ? {} : endedByInterrupt()
      const calling = methodOf(client, endpoint)(input, options)
      if (endpoint.page && calling instanceof PageList) {
        await printList(endpoint.page, calling, { command, json, table, all })
        return 0
      }
      const response = await calling
      if (table) printTable(listIn(response))
      else printResponse(response)
      // Fails only after the response is shown, since it lists what was applied.
      failOnPartialFailure(command, endpoint.id, response)
      return exitCodeFor(response)
    },
    flags,
  )
}

/** The exit code for a response. Warns if a deletion is only confirmed by the 404 of its retry. */
export function exitCodeFor(response: unknown): number {
  if (fieldsOf(response).replayed !== true) return 0
  process.stderr.write(
    'The first response was lost, and the repeat found nothing to delete (404)\n',
  )
  return REPLAYED
}

/** @throws HookbellError E_USAGE if the ID is unknown, with similar IDs as a hint */
export function findEndpoint(id: string): Endpoint {
  const endpoints = listEndpoints(everything)
  const found = endpoints.find((endpoint) => endpoint.id === id)
  if (found) return found
  const ids = endpoints.map((endpoint) => endpoint.id)
  const same = ids.filter((known) => known.toLowerCase() === id.toLowerCase())
  const near = same.length > 0 ? same : ids.filter((known) => isNear(known, id))
  throw usageError(
    `api: unknown endpoint "${id}"`,
    near.length > 0 ? `Did you mean: ${near.join(', ')}` : 'List them with: hookbell api',
  )
}

/** A list is a `PageList`, anything else a promise. */
type AnyMethod = (
  input: Record<string, unknown>,
  options?: CallOptions,
) => PageList<unknown, unknown> | Promise<unknown>

/** The client method of an endpoint: its ID is the path to it. */
export function methodOf(client: Client, { id }: Endpoint): AnyMethod {
  let node: unknown = client
  for (const name of id.split('.')) node = Reflect.get(Object(node), name)
  return node as AnyMethod
}

/** Whether both IDs have the same first or last word, or the known one contains the other. */
function isNear(known: string, id: string): boolean {
  const [one, other] = [known.toLowerCase(), id.toLowerCase().replaceAll('-', '')]
  if (one.includes(other)) return true
  const [words, others] = [one.split('.'), other.split('.')]
  return words[0] === others[0] || words.at(-1) === others.at(-1)
}

/**
 * Asks for confirmation before an action that cannot be undone.
 * @throws HookbellError E_USAGE if nobody can be asked, or the answer is no
 */
export async function confirm(
  command: string,
  { irreversible }: Pick<Endpoint, 'irreversible'>,
  input: Readonly<Record<string, unknown>>,
  isSure: boolean,
) {
  if (!irreversible || isSure) return
  const ids = Object.values(input).filter((value) => typeof value === 'string')
  const what = oneLine([irreversible, ids.join(' ')].filter(Boolean).join(': '))
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw usageError(`${command}: cannot be undone, and nobody can be asked`, 'Add --yes to do it')
  const question = `${what}. This cannot be undone. Continue? [y/N] `
  if (await askYesNo(question, { enterIsYes: false, output: process.stderr })) return
  throw usageError(`${command}: nothing was done`)
}
