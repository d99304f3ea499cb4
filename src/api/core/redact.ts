import { isRecord, mapFields } from '../record.ts'

const MASK = '[secret]'
/** Shorter strings do not count as secrets: masking them would make every text unreadable. */
const SHORTEST = 8
/** Up to 15 letters in lower case, upper case or capitalized: more likely a word than a key. */
const WORD = /^([a-z]{1,15}|[A-Z]{1,15}|[A-Z][a-z]{1,14})$/

const DEEPEST = 100

/** The text without the secrets. One that holds a secret in another spelling than these is masked as a whole. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) {
    if (secret.length < SHORTEST || WORD.test(secret)) continue
    const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]
    for (const form of forms) clean = withoutStart(clean.replaceAll(form, MASK), form)
    if (holdsEscaped(clean, secret)) clean = MASK
  }
  return clean
}

/** More layers than anybody puts around an error. */
const MAX_LAYERS = 8
const ESCAPES =
  /\\(?:u00|x)([\da-f]{2})|%([\da-f]{2})|&#x0*([\da-f]{2});|&#0*(\d{2,3});|&(amp|lt|gt|quot|apos|sol|colon|commat|equals|quest);|\\([^A-Za-z\d\s])/gi
const NAMED = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", sol: '/' },
  ...{ colon: ':', commat: '@', equals: '=', quest: '?' },
}

/** Whether a text holds the secret escaped for JSON, HTML or a URL, as often as may be. */
function holdsEscaped(text: string, secret: string): boolean {
  const meant = plain(secret)
  return meant.length >= SHORTEST && plain(text).includes(meant)
}

function plain(text: string): string {
  let read = text
  for (let layer = 0; layer < MAX_LAYERS && /[\\%&]/.test(read); layer += 1) {
    const before = read
    read = read.replace(ESCAPES, (_, ...[json, percent, hex, decimal, name, sign]: string[]) => {
      const code = json ?? percent ?? hex
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
      if (decimal !== undefined) return String.fromCharCode(Number(decimal))
      return sign ?? NAMED[String(name).toLowerCase() as keyof typeof NAMED]
    })
    if (read === before) break
  }
  return read
}

/** A text that was cut may end with the first part of a secret. */
function withoutStart(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= SHORTEST; length -= 1)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + MASK
  return text
}

/** A copy of a JSON value with the secrets masked in all its strings and keys. Drops what is nested too deep. */
export function redactValue(value: unknown, secrets: readonly string[], depth = 0): unknown {
  if (depth > DEEPEST) return undefined
  if (typeof value === 'string') return redact(value, secrets)
  if (Array.isArray(value)) return value.map((item) => redactValue(item, secrets, depth + 1))
  if (!isRecord(value)) return value
  return mapFields(value, ([key, item]) => [
    redact(key, secrets),
    redactValue(item, secrets, depth + 1),
  ])
}

const DEEPEST_CAUSE = 3

/**
 * A copy of an error with the secrets masked in its plain fields and in further errors. Other objects are left out:
 * HTTP libraries attach the request, with its headers.
 */
export function redactCause(cause: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof cause === 'string') return redact(cause, secrets)
  const given = Object(cause)
  const { message } = given
  // Not `instanceof`: under Jest, the errors of Node.js are of another realm.
  if (depth > DEEPEST_CAUSE || typeof message !== 'string')
    return given === cause ? undefined : cause
  const copy = new Error(redact(message, secrets))
  for (const name of Reflect.ownKeys(given)) {
    const value: unknown = given[name]
    const clean = (one: unknown) => redactCause(one, secrets, depth + 1)
    const kept = Array.isArray(value) ? value.map(clean) : clean(value)
    if (kept !== undefined) Reflect.set(copy, name, kept)
  }
  return copy
}
