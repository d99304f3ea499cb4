import { type CommandDef, defineCommand } from 'citty'
import { completableOf, renderCompletion, shells } from '../cli/completion.ts'
import { print } from '../cli/output.ts'
import { usageError } from '../errors.ts'
import { didYouMean } from '../text/suggest.ts'

/** Every command with its name and what it is for. */
type LoadAll = () => Promise<readonly { name: string; description: string; command: CommandDef }[]>

export function completionCommand(loadAll: LoadAll) {
  return defineCommand({
    args: {
      shell: { type: 'positional', description: shells.join(', '), valueHint: shells.join('|') },
    },
    async run({ args }) {
      const said = args.shell ?? ''
      const shell = shells.find((one) => one === said)
      if (!shell) {
        const message = `completion: unknown shell "${said}"`
        throw usageError(message, didYouMean(said, shells))
      }
      const all = await loadAll()
      const commands = all.map(({ name, command, description }) =>
        completableOf(name, command, description),
      )
      print(renderCompletion(shell, commands))
    },
  })
}
