import * as z from 'zod'

/** Answers from elsewhere. The hooks wait for them only after `hookbell init --answers`. */
export const answers = z.strictObject({
  channels: z
    .array(z.string())
    .default([])
    .describe('Names of the channels on which questions can be answered, once a person is paired'),
  waitMinutes: z
    .int()
    .positive()
    .max(120)
    .default(10)
    .describe(
      'How long a question can be answered on a channel, and init --answers lets hooks wait',
    ),
  never: z
    .array(z.string().trim().min(1).max(200))
    .max(200)
    .default([])
    .describe('Words of commands that no channel may allow, besides those that none ever may'),
})
