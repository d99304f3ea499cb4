import { type ClientName, clientNames, isClientName } from '../clients/index.ts'
import { type HookbellError, usageError } from '../errors.ts'
import { didYouMean } from '../text/suggest.ts'

/**
 * Reads names of clients, with commas between them.
 * @throws HookbellError `E_USAGE` for a name that no client has
 */
export function parseClients(text: string): ClientName[] {
  const names = parseList(text)
  if (names.length === 0) throw unknownClient(text)
  return [...new Set(names)].map((name) => {
    if (isClientName(name)) return name
    throw unknownClient(name)
  })
}

/** Words with commas between them, and perhaps after the last one. */
export function parseList(text: string): string[] {
  return text.split(/[,\s]+/).filter((word) => word !== '')
}

/** Also takes the name of the product, such as "Claude Code" or "gemini-cli". */
function unknownClient(name: string): HookbellError {
  const meant = clientNames.find((one) => name.toLowerCase().startsWith(one))
  const hint = meant === undefined ? didYouMean(name, clientNames) : `Did you mean "${meant}"?`
  return usageError(`unknown client "${name}"`, hint)
}
