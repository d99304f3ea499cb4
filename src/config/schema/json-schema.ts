import * as z from 'zod'
import { configSchema } from './schema.ts'

/** The JSON Schema (draft 2020-12) of `config.json`, for editors. */
export function configJsonSchema(): object {
  const schema = z.toJSONSchema(configSchema, {
    io: 'input',
    target: 'draft-2020-12',
    override: ({ jsonSchema, path }) => {
      delete jsonSchema.secret
      // A channel's strings may be ${NAME}, which is filled in before validation.
      if (!path.includes('channels') || jsonSchema.type !== 'string') return
      delete jsonSchema.format
      delete jsonSchema.pattern
    },
  })
  return {
    ...schema,
    title: 'hookbell configuration',
    allowComments: true,
    allowTrailingCommas: true,
  }
}
