import { usageError } from '../../errors.ts'

/** @throws HookbellError E_USAGE for none, such as of a variable that is not set */
export function readSessionId(command: string, session: string): string {
  if (session.trim() !== '') return session
  throw usageError(`${command}: the session ID is empty`)
}
