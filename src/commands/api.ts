import { type ArgsDef, type CommandDef, defineCommand } from 'citty'
import { listEndpoints } from '../api/endpoints/index.ts'
import { type Endpoint, PageList } from '../api/index.ts'
import { paint, print, printJson, table, terminalWidth } from '../cli/output.ts'
import { HookbellError } from '../errors.ts'
import { cutText } from '../text/clean.ts'
import { withClient } from './api/client.ts'
import { argsOf, describeEndpoint } from './api/endpoint-help.ts'
import { failOnPartialFailure } from './api/errors.ts'
import { findEndpoint, methodOf } from './api/find-endpoint.ts'
import { flagsOf } from './api/flags.ts'
import { printList } from './api/print-list.ts'
import { printResponse, printTable } from './api/print-response.ts'
import { readInput } from './api/read-input.ts'
import { listIn } from './api/response-table.ts'

// The longest name and method, with the gaps after them.
const BEFORE_SUMMARY = 39
const LEAST_SUMMARY = 20

/** The command for the endpoint that the words name; without one, the list of endpoints. */
export function apiCommand([id = '']: readonly string[]): CommandDef {
  return id === '' || id.startsWith('-') ? listCommand() : callCommand(findEndpoint(id))
}

function listCommand(): CommandDef {
  const args = {
    endpoint: { type: 'positional', required: false, description: 'Such as computers.get' },
    json: { type: 'boolean', description: 'Print JSON' },
  } satisfies ArgsDef
  return {
    meta: { name: 'api', description: 'Call an endpoint of the API, or list them all' },
    args,
    run(context) {
      const rows = listEndpoints().map(({ id, method, path, summary }) => ({
        id,
        method,
        path,
        summary,
      }))
      if (context.args.json) return printJson(rows)
      const room = Math.max(LEAST_SUMMARY, (terminalWidth() ?? Infinity) - BEFORE_SUMMARY)
      print(
        table(
          rows.map(({ id, method, summary }) => [id, paint('dim', method), cutText(summary, room)]),
        ),
      )
      print('\nhookbell api ENDPOINT --help shows the inputs of an endpoint')
    },
  }
}

function callCommand(endpoint: Endpoint): CommandDef {
  const { id } = endpoint
  const flags = flagsOf(endpoint)
  return defineCommand({
    meta: { name: `api ${id}`, description: describeEndpoint(endpoint, flags) },
    args: argsOf(endpoint, flags),
    async run({ args }) {
      if (args.json && args.table)
        throw new HookbellError('E_USAGE', `api ${id}: --json and --table exclude each other`)
      const input = await readInput(endpoint, flags, args)
      await withClient(`api ${id}`, (client) => call(methodOf(client, endpoint)(input)), flags)

      async function call(answering: PageList<unknown, unknown> | Promise<unknown>) {
        const { json = false, table: asTable = false, all = false } = args as Formats
        if (endpoint.page && answering instanceof PageList) {
          const format = { command: `api ${id}`, json, table: asTable, all }
          return await printList(endpoint.page, answering, format, input[endpoint.page.size])
        }
        const answer = await answering
        if (asTable) printTable(listIn(answer))
        else printResponse(answer)
        // After the answer is shown: what was done is done.
        failOnPartialFailure(`api ${id}`, answer)
      }
    },
  })
}

interface Formats {
  json?: boolean
  table?: boolean
  all?: boolean
}
