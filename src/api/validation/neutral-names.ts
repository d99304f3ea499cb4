import type { NeutralNames } from '../operation.ts'
import { isRecord } from '../record.ts'

const PROVIDER_FIELD =
  /^(.+?)(MessageId|Phase|EncryptedContent|ReasoningId|ReasoningSummary|ThoughtSignature)$/
const CREDITS_FIELD = /^(.+)Credits$/

/** First words that say what a field is about. A name that starts with one does not name a company. */
const PLAIN_WORDS = new Set(
  `assistant base bonus cache chat child client current extra first free hook initial inclusive input is
  last message model next original output parallel parent previous provider remaining reply request root
  router sent session source target thinking tool total used user`.split(/\s+/),
)

/** Adds neutral names at the places that are known to need them. Keeps all fields; never throws. */
export function addNeutralNames(answer: unknown, { provider, credits }: NeutralNames): unknown {
  let named = answer
  for (const path of provider ?? []) named = mapAt(named, path.split('.'), nameProviderFields)
  for (const path of credits ?? []) named = mapAt(named, path.split('.'), nameCredits)
  return named
}

/** A copy of the value with `change` applied where the path leads; what is not there stays so. */
function mapAt(
  value: unknown,
  [key, ...rest]: readonly string[],
  change: (found: unknown) => unknown,
): unknown {
  if (key === undefined) return change(value)
  const go = (found: unknown) => mapAt(found, rest, change)
  if (key === '*' && Array.isArray(value)) return value.map(go)
  if (!isRecord(value)) return value
  if (key === '*')
    return Object.fromEntries(Object.entries(value).map(([name, found]) => [name, go(found)]))
  return Object.hasOwn(value, key) ? { ...value, [key]: go(value[key]) } : value
}

/** Adds `credits` to a token usage object, from the number in `<service>Credits`. */
export function nameCredits(usage: unknown): unknown {
  if (!isRecord(usage) || Object.hasOwn(usage, 'credits')) return usage
  const found = Object.entries(usage).find(([key, value]) => isCredits(key, value))
  return found ? withHidden(usage, { credits: found[1] }) : usage
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
  return Object.keys(added).length > 0 ? withHidden(message, added) : message
}

/** A copy with more fields, which JSON and `Object.keys` leave out: what is passed on is what was received. */
function withHidden(record: object, fields: Readonly<Record<string, unknown>>): object {
  const copy = { ...record }
  for (const [name, value] of Object.entries(fields))
    Object.defineProperty(copy, name, {
      value,
      enumerable: false,
      writable: true,
      configurable: true,
    })
  return copy
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
