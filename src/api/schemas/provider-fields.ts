import * as z from 'zod'
import { once } from '../core/once.ts'
import { isRecord } from './_record.ts'

const PROVIDER_FIELD =
  /^(.+?)(MessageId|Phase|EncryptedContent|ReasoningId|ReasoningSummary|ThoughtSignature)$/
const CREDITS_FIELD = /^(.+)Credits$/

/** First words that say what a field is about. A name that starts with one does not name a company. */
const PLAIN_WORDS = new Set(
  `assistant base bonus cache chat child client current extra first free hook initial inclusive input is
  last message model next original output parallel parent previous provider remaining reply request root
  router sent session source target thinking tool total used user`.split(/\s+/),
)

/** A field that no service sends: `normalize` of the endpoint adds it. Documents of the wire leave it out. */
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

/** Adds `credits` to a token usage object, from the number in `<service>Credits`. */
export function nameCredits(usage: unknown): unknown {
  if (!isRecord(usage) || Object.hasOwn(usage, 'credits')) return usage
  const found = Object.entries(usage).find(([key, value]) => isCredits(key, value))
  return found ? { ...usage, credits: found[1] } : usage
}

function isCredits(key: string, value: unknown) {
  const name = CREDITS_FIELD.exec(key)?.[1]
  return name !== undefined && !startsPlain(name) && typeof value === 'number'
}

/**
 * Adds `providerMessageId`, `providerThoughtSignature` and so on to a message, from the fields that
 * start with the name of a model provider, whatever that name is. The first of each kind counts.
 */
export function nameProviderFields(message: unknown): unknown {
  if (!isRecord(message)) return message
  const added: Record<string, string> = {}
  for (const [key, value] of Object.entries(message)) {
    const name = neutralName(key)
    if (!name || typeof value !== 'string') continue
    if (!Object.hasOwn(message, name)) added[name] ??= value
  }
  return Object.keys(added).length > 0 ? { ...message, ...added } : message
}

function neutralName(key: string): string | undefined {
  const match = PROVIDER_FIELD.exec(key)
  if (!match) return undefined
  const [, provider = '', suffix] = match
  return startsPlain(provider) ? undefined : `provider${suffix}`
}

function startsPlain(name: string) {
  return PLAIN_WORDS.has(/^[a-z]*/.exec(name)?.[0] ?? '')
}
