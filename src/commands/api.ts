import { type ArgsDef, type CommandDef, defineCommand } from 'citty'
import type { Endpoint } from '../api/endpoints/endpoint.ts'
import { api, type EndpointTree, everything, listEndpoints } from '../api/endpoints/index.ts'
import { asTyped } from '../cli/how-to-call.ts'
import { NEEDS_KEY } from '../cli/key-help.ts'
import { paint, print, printJson, say, table, terminalWidth } from '../cli/output.ts'
import { usageError } from '../errors.ts'
import { cutText } from '../text/clean.ts'
import { callEndpoint, confirm, type Formats, findEndpoint } from './api/call-endpoint.ts'
import { checkCommand } from './api/check.ts'
import { argsOf, describeEndpoint } from './api/endpoint-help.ts'
import { flagsOf, undocumentedFlags } from './api/flags.ts'
import { isMethod, rawCommand } from './api/raw-command.ts'
import { readInput } from './api/read-input.ts'
import { rotateKey } from './api/rotate-key.ts'

// The longest name and method, with the gaps after them.
const BEFORE_SUMMARY = 39
const LEAST_SUMMARY = 20

/** The command for the endpoint or the method that the words name; without one, the list of endpoints. */
export function apiCommand([id = '', ...words]: readonly string[]): CommandDef {
  if (id === '' || id.startsWith('-')) return listCommand()
  if (id === 'check') return checkCommand()
  return isMethod(id) ? rawCommand() : callCommand(findEndpoint(id), words)
}

function listCommand(): CommandDef {
  const args = {
    endpoint: { type: 'positional', required: false, description: 'Such as computers.get' },
    json: { type: 'boolean', description: 'Print JSON' },
  } satisfies ArgsDef
  const description = [
    'Call an endpoint of the API, or list them all',
    'hookbell api ENDPOINT --help shows the inputs of an endpoint.',
    'hookbell api GET /path calls any other path; POST, PUT, PATCH and DELETE likewise.',
    'hookbell api check finds out whether a service does what the specification says.',
    NEEDS_KEY,
  ].join('\n')
  return {
    meta: { name: 'api', description: asTyped(description) },
    args,
    run(context) {
      if (context.args.json) return printJson(listEndpoints(everything).map(rowOf))
      const room = Math.max(LEAST_SUMMARY, (terminalWidth() ?? Infinity) - BEFORE_SUMMARY)
      const show = (tree: EndpointTree) =>
        print(
          table(
            listEndpoints(tree).map(({ id, method, summary }) => [
              id,
              paint('dim', method),
              cutText(summary, room),
            ]),
          ),
        )
      show(api)
      say('\nNot in the specification, but in the public documentation')
      show({ beyond: everything.beyond })
      say(asTyped('\nhookbell api ENDPOINT --help shows the inputs of an endpoint'))
      say(asTyped('hookbell api GET /path calls any other path'))
    },
  }
}

/** An endpoint as JSON. What is not in the specification has the page that shows it as its source. */
function rowOf({ id, method, path, summary, source }: Endpoint) {
  return { id, method, path, summary, ...(source && { source }) }
}

function callCommand(endpoint: Endpoint, words: readonly string[]): CommandDef {
  const { id } = endpoint
  const command = `api ${id}`
  const known = flagsOf(endpoint)
  const flags = [...known, ...undocumentedFlags(endpoint, known, words)]
  return defineCommand({
    meta: { name: command, description: describeEndpoint(endpoint, flags) },
    args: argsOf(endpoint, flags),
    async run({ args: given }) {
      const args = given as GivenFlags
      if (args.json && args.table)
        throw usageError(`${command}: --json and --table exclude each other`)
      const input = await readInput(endpoint, flags, args)
      await confirm(command, endpoint, input, args.yes === true)
      if (id === 'serviceAccounts.keys.rotate') return await rotateKey(input, args, flags)
      return await callEndpoint(endpoint, flags, input, args)
    },
  })
}

/** Flags that are not inputs of the endpoint. */
interface GivenFlags extends Formats {
  [flag: string]: unknown
  yes?: boolean
  output?: string
}
