import type { Endpoint } from '../../api/endpoints/endpoint.ts'
import { PageList } from '../../api/index.ts'
import { endedByInterrupt, withClient } from './client.ts'
import { failOnPartialFailure } from './errors.ts'
import { fieldsOf } from './fields.ts'
import { methodOf } from './find-endpoint.ts'
import type { Flag } from './flags.ts'
import { printList } from './print-list.ts'
import { printResponse, printTable } from './print-response.ts'
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
