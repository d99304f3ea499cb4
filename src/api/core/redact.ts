const MASK = '[secret]'
/** Shorter strings are no secrets, and to mask them would make every text unreadable. */
const SHORTEST = 4

/** The text without the secrets, in their plain, URL-encoded and JSON forms. */
export function redact(text: string, secrets: Iterable<string>): string {
  let clean = text
  for (const secret of secrets) {
    if (secret.length < SHORTEST) continue
    for (const form of formsOf(secret)) clean = clean.replaceAll(form, MASK)
  }
  return clean
}

/** A copy of a JSON value with the secrets masked in all its strings and keys. */
export function redactValue(value: unknown, secrets: Iterable<string>): unknown {
  const known = [...secrets]
  if (typeof value === 'string') return redact(value, known)
  if (Array.isArray(value)) return value.map((item) => redactValue(item, known))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redact(key, known), redactValue(item, known)]),
  )
}

/** The error itself, or a plain copy of it if a secret shows in it. */
export function redactCause(cause: unknown, secrets: Iterable<string>): unknown {
  if (!(cause instanceof Error)) return cause
  const known = [...secrets]
  const shown = [cause.message, cause.stack ?? '', JSON.stringify(Object.values(cause).map(String))]
  if (shown.every((text) => redact(text, known) === text)) return cause
  const copy = new Error(redact(cause.message, known))
  copy.stack = redact(cause.stack ?? '', known)
  return copy
}

function formsOf(secret: string): Set<string> {
  return new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
}
