import { writeFile } from 'node:fs/promises'
import { describeError, usageError } from '../errors.ts'

/**
 * Writes a file that a person has named. Only its owner may read it, because it names projects or people.
 * @throws HookbellError E_USAGE if it cannot be written
 */
export async function writePrivate(command: string, path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 }).catch((cause: unknown) => {
    throw usageError(`${command}: cannot write "${path}"`, describeError(cause), cause)
  })
}
