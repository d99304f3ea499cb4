import { defineCommand } from 'citty'
import { asTyped } from '../cli/how-to-call.ts'
import { printJson, say } from '../cli/output.ts'
import { usageError } from '../errors.ts'
import { purge } from '../worker/control.ts'
import { stateFolders } from './_events.ts'

export const purgeCommand = defineCommand({
  args: {
    yes: { type: 'boolean', description: 'Required: nobody is notified of the removed events' },
    json: { type: 'boolean', description: 'Print JSON: removed (events)' },
  },
  async run({ args }) {
    if (!args.yes) {
      throw usageError(
        'purge removes events that nobody has been told of',
        'See them with: hookbell log. If you mean it: hookbell purge --yes',
      )
    }
    const counts = await Promise.all(stateFolders().map(purge))
    const count = counts.reduce((sum, one) => sum + one, 0)
    if (args.json) return printJson({ removed: count })
    say(count === 0 ? 'Nothing waits' : asTyped(`${count} removed. See them with: hookbell log`))
  },
})
