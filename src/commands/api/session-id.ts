import { HookbellError } from '../../errors.ts'

/** @throws HookbellError E_USAGE for none, such as of a variable that is not set */
export function readSessionId(command: string, session: string): string {
  if (session.trim() !== '') return session
  throw new HookbellError('E_USAGE', `${command}: the session ID is empty`)
}
