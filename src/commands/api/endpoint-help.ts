import type { ArgsDef } from 'citty'
import type { Endpoint } from '../../api/endpoints/endpoint.ts'
import { NEEDS_KEY } from '../../cli/key-help.ts'
import { terminalWidth } from '../../cli/output.ts'
import { wrapText } from '../../cli/wrap-text.ts'
import type { Flag } from './flags.ts'
import { takesBody } from './read-input.ts'

/** Used if the output is not a terminal. */
const HELP_WIDTH = 80

/** What an endpoint does, its method and path, and the inputs that only `--body` can carry. */
export function describeEndpoint(endpoint: Endpoint, flags: readonly Flag[]): string {
  const { method, path, summary, description, source } = endpoint
  const origin = source && `Not in the specification, but in the public documentation: ${source}`
  const lines = [summary, description, `${method} ${path}`, origin, NEEDS_KEY]
  const about = lines.filter(Boolean).join('\n')
  const anything = 'Any other --name TEXT is sent as it is: the inputs are not documented.'
  const open = endpoint.passthrough ? [anything] : []
  return [about, ...open, ...flags.filter(({ kind }) => kind === 'json').map(describeField)].join(
    '\n\n',
  )
}

/** The options of an endpoint, from its inputs. */
export function argsOf(endpoint: Endpoint, flags: readonly Flag[]): ArgsDef {
  const args: ArgsDef = {
    // Has already been used to choose this command. Without a description, the help leaves it out.
    endpoint: { type: 'positional', required: false },
  }
  for (const flag of flags) {
    if (flag.kind === 'json') continue
    args[flag.name.slice(2)] = { type: 'string', description: about(flag), valueHint: flag.hint }
  }
  if (takesBody(endpoint)) {
    const description = 'Inputs as a JSON object, a file with one, or - for stdin; flags win'
    args.body = { type: 'string', description, valueHint: 'JSON|FILE|-' }
  }
  if (endpoint.page) args.all = { type: 'boolean', description: 'All pages, not only the first' }
  const json = endpoint.page
    ? 'Print one JSON value instead of one line per item'
    : 'Print JSON (default)'
  args.json = { type: 'boolean', description: json }
  args.table = { type: 'boolean', description: 'Print a table' }
  if (endpoint.irreversible) args.yes = { type: 'boolean', description: 'Do it without a question' }
  if (endpoint.id === 'serviceAccounts.keys.rotate') {
    const description = 'Write the new key to this file, for its owner alone (0600)'
    args.output = { type: 'string', description, valueHint: 'FILE' }
  }
  return args
}

function describeField(flag: Flag): string {
  const shape = wrapText(`  ${flag.shape}`, terminalWidth() ?? HELP_WIDTH)
  return `"${flag.input}" in --body: ${about(flag)}\n${shape}`
}

function about({ description, isRequired }: Flag): string {
  return isRequired ? `${description} (required)` : description
}
