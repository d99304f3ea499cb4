import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineCommand } from 'citty'
import { printJson } from '../cli/output.ts'
import { usageError } from '../errors.ts'
import { packageRoot } from '../package-root.ts'
import { didYouMean } from '../text/suggest.ts'

const actions = ['show', 'edit', 'check', 'schema']

export const configCommand = defineCommand({
  args: {
    action: {
      type: 'positional',
      required: false,
      description: 'show (default), edit, check or schema',
      valueHint: actions.join('|'),
    },
    file: { type: 'positional', required: false, description: 'For check. Default: your own' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args: { action = 'show', file, json = false } }) {
    if (file !== undefined && action !== 'check')
      throw usageError(`config ${action}: takes no file`, 'See: hookbell config --help')
    if (json && action === 'edit')
      throw usageError(
        'config edit: takes no --json',
        'It opens an editor. See: hookbell config check',
      )
    switch (action) {
      case 'show':
        return await (await import('./config/show.ts')).showConfig(json)
      case 'edit':
        return await (await import('./config/edit.ts')).editConfig()
      case 'check':
        return await (await import('./config/check.ts')).checkConfigFile(file, json)
      case 'schema':
        return printJson(
          JSON.parse(readFileSync(join(packageRoot(), 'config.schema.json'), 'utf8')),
        )
      default: {
        const hint = didYouMean(action, actions, 'Actions')
        throw usageError(`config: unknown action "${action}"`, hint)
      }
    }
  },
})
