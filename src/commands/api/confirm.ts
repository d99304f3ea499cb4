import type { Endpoint } from '../../api/endpoints/endpoint.ts'
import { askYesNo } from '../../cli/ask.ts'
import { usageError } from '../../errors.ts'
import { oneLine } from '../../text/clean.ts'

/**
 * Asks for confirmation before an action that cannot be undone.
 * @throws HookbellError E_USAGE if nobody can be asked, or the answer is no
 */
export async function confirm(
  command: string,
  { irreversible }: Pick<Endpoint, 'irreversible'>,
  input: Readonly<Record<string, unknown>>,
  isSure: boolean,
) {
  if (!irreversible || isSure) return
  const ids = Object.values(input).filter((value) => typeof value === 'string')
  const what = oneLine([irreversible, ids.join(' ')].filter(Boolean).join(': '))
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw usageError(`${command}: cannot be undone, and nobody can be asked`, 'Add --yes to do it')
  const question = `${what}. This cannot be undone. Continue? [y/N] `
  if (await askYesNo(question, { enterIsYes: false, output: process.stderr })) return
  throw usageError(`${command}: nothing was done`)
}
