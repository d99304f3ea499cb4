import { usageError } from '../errors.ts'
import { didYouMean } from '../text/suggest.ts'

const actions = ['list', 'retry', 'drop'] as const

interface DeadAction {
  action: (typeof actions)[number]
  /** The id of one event or message, or the start of the id; absent: all of them. */
  id?: string | undefined
}

/** What `dead` and `hub dead` are asked to do. @throws HookbellError E_USAGE */
export function deadAction(
  command: string,
  word = 'list',
  { id, all = false }: { id?: string | undefined; all?: boolean | undefined },
): DeadAction {
  const action = actions.find((one) => one === word)
  if (!action) {
    throw usageError(`${command}: unknown action "${word}"`, didYouMean(word, actions, 'Actions'))
  }
  if (action === 'list') return { action }
  if (id && all) throw usageError(`${command} ${action}: an id and --all exclude each other`)
  if (!id && !all) throw usageError(`${command} ${action}: which one?`, 'Give an id, or --all')
  return { action, id }
}
