import { usageError } from '../errors.ts'
import { type Kind, kinds } from '../event/event.ts'
import { didYouMean } from '../text/suggest.ts'

/** The kind that `--kind` names. @throws HookbellError E_USAGE */
export function kindOption(command: string, word: string | undefined): Kind | undefined {
  const kind = kinds.find((known) => known === word)
  if (word === undefined || kind !== undefined) return kind
  throw usageError(`${command}: no kind is called "${word}"`, didYouMean(word, kinds))
}
