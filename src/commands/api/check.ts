import { type ArgsDef, type CommandDef, defineCommand } from 'citty'
import { type Client, createClient } from '../../api/index.ts'
import { NEEDS_KEY } from '../../cli/key-help.ts'
import { paint, print, printJson, say, table } from '../../cli/output.ts'
import { usageError } from '../../errors.ts'
import { cutText, oneLine } from '../../text/clean.ts'
import { counted } from '../../text/counted.ts'
import type { Report } from './check/check-service.ts'
import { withCommandErrors } from './errors.ts'

const COMMAND = 'api check'

const ids = {
  'computer-id': 'computerId',
  name: 'name',
  'session-id': 'sessionId',
  'wiki-run-id': 'wikiRunId',
  'service-account-id': 'serviceAccountId',
  'key-id': 'keyId',
  email: 'email',
} as const

const args = {
  'base-url': { type: 'string', description: 'URL of the API', valueHint: 'URL' },
  'app-url': { type: 'string', description: 'URL of the readiness reports', valueHint: 'URL' },
  'computer-id': { type: 'string', description: 'A computer', valueHint: 'ID' },
  name: { type: 'string', description: 'Name of a computer', valueHint: 'NAME' },
  'session-id': { type: 'string', description: 'A session', valueHint: 'ID' },
  'wiki-run-id': { type: 'string', description: 'A wiki run', valueHint: 'ID' },
  'service-account-id': { type: 'string', description: 'A service account', valueHint: 'ID' },
  'key-id': { type: 'string', description: 'A key of it', valueHint: 'ID' },
  email: { type: 'string', description: 'A user, for what --write calls', valueHint: 'ADDRESS' },
  'read-only': { type: 'boolean', description: 'Call only what changes nothing (default)' },
  write: { type: 'boolean', description: 'Also call what changes something' },
  irreversible: {
    type: 'boolean',
    description: 'With --write: also delete the computer, remove the user and rotate the key above',
  },
  json: { type: 'boolean', description: 'Print JSON' },
} satisfies ArgsDef

/** `api check`: compares any service with the table of endpoints. */
export function checkCommand(): CommandDef {
  const description = `Find out whether a service does what the specification says\n${NEEDS_KEY}`
  const command = defineCommand({
    meta: { name: COMMAND, description },
    args: { check: { type: 'positional', required: true, description: 'check' }, ...args },
    async run({ args: { 'base-url': baseUrl, 'app-url': appUrl, write, irreversible, ...rest } }) {
      if (!baseUrl) throw usageError(`${COMMAND}: --base-url is missing`, 'The URL of the API')
      if (write && rest['read-only'])
        throw usageError(`${COMMAND}: --read-only and --write exclude each other`)
      if (irreversible && !write) throw usageError(`${COMMAND}: --irreversible needs --write`)
      const given = Object.fromEntries(
        Object.entries(ids).map(([flag, input]) => [input, rest[flag as keyof typeof ids]]),
      )
      const urls = { baseUrl, appUrl: appUrl ?? baseUrl }
      const report = await check(urls, {
        given,
        hasApp: appUrl !== undefined,
        mayWrite: write === true,
        mayDestroy: irreversible === true,
      })
      if (rest.json) printJson(report)
      else printReport(report)
      return report.deviations.length > 0 ? 1 : 0
    },
  })
  return command as CommandDef
}

type Options = Parameters<typeof import('./check/check-service.ts')['checkService']>[1]

async function check(urls: { baseUrl: string; appUrl: string }, options: Options): Promise<Report> {
  const { checkService } = await import('./check/check-service.ts')
  const client = createClient({ ...urls, transport: 'undici' })
  try {
    return await withCommandErrors(COMMAND, async () => {
      const { mayWrite, given } = options
      // Set to what it is already, so that nothing changes.
      const limit = mayWrite ? await currentLimit(client) : undefined
      return await checkService(client, { ...options, given: { ...given, limit } })
    })
  } finally {
    await client.close()
  }
}

const LEAST_LIMIT = 1_000_000

/** The global limit; undefined if it cannot be read, or could not be set again. */
async function currentLimit({ organization }: Client): Promise<number | null | undefined> {
  const limit = await organization.limits.getGlobal().then(
    (response) => response.limit,
    () => undefined,
  )
  return limit === null || Number(limit) >= LEAST_LIMIT ? limit : undefined
}

const SHOWN = 300

function printReport({ checked, skipped, deviations }: Report) {
  const show = (text: string) => cutText(oneLine(text), SHOWN)
  for (const { endpoint, sent, came, rule } of deviations) {
    print(paint('bold', endpoint))
    print(
      table([
        ['  sent', show(sent)],
        ['  came', show(came)],
        ['  rule', show(rule)],
      ]),
    )
    print('')
  }
  if (skipped.length > 0) {
    print(table(skipped.map(({ endpoint, why }) => [endpoint, paint('dim', why)])))
    print('')
  }
  const counts = [
    `${counted(checked.length, 'endpoint')} checked`,
    `${skipped.length} not checked`,
    counted(deviations.length, 'deviation'),
  ]
  say(counts.join(', '))
}
