import * as z from 'zod'
import { configSchema } from './schema.ts'

/** A channel with a notifier of the user's own, in its short form. Only that notifier knows its options. */
const moduleSchema = {
  type: 'object',
  properties: {
    type: {
      type: 'string',
      pattern: '^(?:~|\\.{1,2}|[A-Za-z]:)?[/\\\\]',
      description: 'File of a notifier of your own',
    },
  },
  required: ['type'],
}

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
  const channel = schema.properties?.channels as { additionalProperties: { oneOf: object[] } }
  channel.additionalProperties.oneOf.push(moduleSchema)
  return {
    ...schema,
    title: 'hookbell configuration',
    allowComments: true,
    allowTrailingCommas: true,
  }
}
