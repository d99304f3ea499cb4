import { type CommandDef, defineCommand } from 'citty'
import { listEndpoints } from '../../api/endpoints/index.ts'
import type { RawRequest } from '../../api/index.ts'
import { NEEDS_KEY } from '../../cli/key-help.ts'
import { usageError } from '../../errors.ts'
import { confirm, exitCodeFor } from './call-endpoint.ts'
import { endedByInterrupt, withClient } from './client.ts'
import { failOnPartialFailure } from './errors.ts'
import { printResponse } from './print-response.ts'
import { readJson } from './read-input.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof METHODS)[number]

/** Whether a word is a method, in capital letters or not. */
export function isMethod(word: string): boolean {
  return METHODS.some((method) => method === word.toUpperCase())
}

/** `api GET /path`: any path, also one that the endpoint table does not have. */
export function rawCommand(): CommandDef {
  const command = defineCommand({
    meta: { name: 'api', description: `Call any path of the API\n${NEEDS_KEY}` },
    args: {
      method: { type: 'positional', required: true, description: METHODS.join(', ') },
      path: { type: 'positional', required: true, description: 'Path, with a query if needed' },
      body: {
        type: 'string',
        description: 'JSON, a file, or - for stdin',
        valueHint: 'JSON|FILE|-',
      },
      app: { type: 'boolean', description: 'Ask the application instead of the API' },
      yes: { type: 'boolean', description: 'Delete without a question' },
    },
    async run({ args }) {
      const method = args.method.toUpperCase() as Method
      const name = `api ${method}`
      const [path = '', ...query] = args.path.split('?')
      const isRead = method === 'GET' || method === 'HEAD'
      const irreversible = method === 'DELETE' ? `Delete ${path}` : undefined
      const request: RawRequest = {
        method,
        path,
        query: readQuery(name, query.join('?')),
        ...(args.body === undefined ? {} : { body: await readJson(name, args.body) }),
        ...(args.app ? { host: 'app' } : {}),
      }
      await confirm(name, irreversible ? { irreversible } : {}, {}, args.yes === true)
      return await withClient(name, async (client) => {
        const response = await client.request(request, isRead ? {} : endedByInterrupt())
        printResponse(response)
        failOnPartialFailure(name, endpointAt(method, path)?.id, response)
        return exitCodeFor(response)
      })
    },
  })
  return command as CommandDef
}

function endpointAt(method: Method, path: string) {
  return listEndpoints().find((one) => one.method === method && one.path === path)
}

function readQuery(command: string, text: string): Record<string, string[]> {
  if (text.includes('#')) throw usageError(`${command}: the path has a fragment`)
  const query = new URLSearchParams(text)
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]))
}
