import { type Client, createClient } from '../../api/index.ts'
import { withCommandErrors } from './errors.ts'
import type { Flag } from './flags.ts'

/** Runs a command with a client for one call; the key comes from the environment alone. */
export async function withClient<Value>(
  command: string,
  run: (client: Client) => Promise<Value>,
  flags: readonly Flag[] = [],
): Promise<Value> {
  // Loads in a few milliseconds and leaves no connection behind.
  const client = createClient({ transport: 'https' })
  try {
    return await withCommandErrors(command, () => run(client), flags)
  } finally {
    await client.close()
  }
}
