import { usageError } from '../../errors.ts'

/** @throws HookbellError E_USAGE if the ID is empty, for example from an unset variable */
export function readSessionId(command: string, session: string): string {
  if (session.trim() !== '') return session
  throw usageError(`${command}: the session ID is empty`)
}
