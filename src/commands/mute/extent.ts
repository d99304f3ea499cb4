import { usageError } from '../../errors.ts'
import { kindOption } from '../_kind-option.ts'

interface Extent {
  session?: string | undefined
  project?: string | undefined
  kind?: string | undefined
}

/**
 * What the options of `mute` and `unmute` name.
 * @throws HookbellError E_USAGE if a value is empty, as from a variable that is not set: it would mean everything
 */
export function muteExtent(command: string, { session, project, kind }: Extent): Extent {
  if (session === '') throw usageError(`${command}: --session takes the start of an id, not ""`)
  if (project === '') throw usageError(`${command}: --project takes a name or a folder, not ""`)
  return { session, project, kind: kindOption(command, kind) }
}
