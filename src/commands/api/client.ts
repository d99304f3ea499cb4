import { type Client, createClient, type Drift } from '../../api/index.ts'
import { usageError } from '../../errors.ts'
import { oneLine } from '../../text/clean.ts'
import { withCommandErrors } from './errors.ts'
import type { Flag } from './flags.ts'

/** Runs a command with a client for one call. The key is read from the environment only. */
export async function withClient<Value>(
  command: string,
  run: (client: Client) => Promise<Value>,
  flags: readonly Flag[] = [],
): Promise<Value> {
  tellWhereKeyGoes(process.env)
  // The https transport loads in a few milliseconds and keeps no connection open.
  const client = createClient({ transport: 'https', onDrift: tellOfUnknownInput })
  try {
    return await withCommandErrors(command, () => run(client), flags)
  } finally {
    await client.close()
  }
}

/**
 * For a call that changes something: Ctrl+C ends the call, not the process. So its error still says whether it may have
 * been carried out.
 */
export function endedByInterrupt(): { signal: AbortSignal } {
  const interrupt = new AbortController()
  process.once('SIGINT', () => interrupt.abort())
  return { signal: interrupt.signal }
}

/** An unknown input is sent, since the service may be newer, but it may also be misspelt. */
function tellOfUnknownInput({ in: where, path, problem }: Drift) {
  if (where === 'input') process.stderr.write(`Note: ${oneLine(path)}: ${problem}\n`)
}

/** A project may set the URL, and every session has the agent's key: sending one to the other may be unintended. */
function tellWhereKeyGoes(env: NodeJS.ProcessEnv) {
  const { HOOKBELL_API_BASE_URL: url, HOOKBELL_API_KEY: own, FACTORY_API_KEY: agents } = env
  if (!url || own?.trim() || !agents?.trim() || !URL.canParse(url)) return
  const { origin } = new URL(url)
  process.stderr.write(
    `Note: the key in FACTORY_API_KEY goes to ${oneLine(origin)} (HOOKBELL_API_BASE_URL)\n`,
  )
}

/** @throws HookbellError E_USAGE if the ID is empty, for example from an unset variable */
export function readSessionId(command: string, session: string): string {
  if (session.trim() !== '') return session
  throw usageError(`${command}: the session ID is empty`)
}
