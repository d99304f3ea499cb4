import * as z from 'zod'
import { once } from '../once.ts'

/** A field that the client adds and no service sends. The OpenAPI document leaves it out. */
function addedField(schema: z.ZodString | z.ZodNumber, description: string) {
  return schema.optional().meta({ description, 'x-added-by-client': true })
}

const addedText = (description: string) =>
  addedField(z.string(), description) as z.ZodOptional<z.ZodString>

export const creditsField = once(() => ({
  credits: addedField(
    z.number(),
    'Credits used; copied from the field that is named after the service',
  ) as z.ZodOptional<z.ZodNumber>,
}))

export const providerFields = once(() => ({
  providerMessageId: addedText('The message ID of the model provider'),
  providerPhase: addedText('The phase of the answer as the model provider names it'),
  providerEncryptedContent: addedText('Encrypted reasoning of the model provider'),
  providerReasoningId: addedText('The reasoning ID of the model provider'),
  providerReasoningSummary: addedText('The reasoning summary of the model provider'),
  providerThoughtSignature: addedText('The thought signature of the model provider'),
}))
