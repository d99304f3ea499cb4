import { defineCommand } from 'citty'
import { printJson } from '../cli/output.ts'
import { usageError } from '../errors.ts'
import { cleanText } from '../text/clean.ts'
import { closest } from '../text/suggest.ts'

const actions = ['show', 'edit', 'check', 'schema']

export const configCommand = defineCommand({
  args: {
    action: {
      type: 'positional',
      required: false,
      description: 'show (default), edit, check or schema',
      valueHint: 'show|edit|check|schema',
    },
    file: { type: 'positional', required: false, description: 'For check. Default: your own' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args: { action = 'show', file, json = false } }) {
    if (file !== undefined && action !== 'check')
      throw usageError(`config ${action}: takes no file`, 'See: hookbell config --help')
    switch (action) {
      case 'show':
        return await (await import('./config/show.ts')).showConfig(json)
      case 'edit':
        return await (await import('./config/edit.ts')).editConfig()
      case 'check':
        return await (await import('./config/check.ts')).checkConfigFile(file, json)
      case 'schema': {
        const { configJsonSchema } = await import('../config/schema/json-schema.ts')
        return printJson(configJsonSchema())
      }
      default: {
        const meant = closest(action, actions)
        const hint = meant ? `Did you mean "${meant}"?` : `Actions: ${actions.join(', ')}`
        throw usageError(`config: unknown action "${cleanText(action)}"`, hint)
      }
    }
  },
})
