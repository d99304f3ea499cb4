import { mayMatch, type Shape, searchable } from './secret-shape.ts'
import { groups, mayHoldKey } from './secret-shapes.ts'

/** The text that replaces a secret. */
export const MARK = '[redacted]'
/** Shorter values are words such as `true` or a port: redacting them would only garble the text. */
const MIN_SECRET = 6
/** Redacting one key can make another one beside it recognizable. No text was seen that needs more than two passes. */
const MAX_PASSES = 4

const NOT_ASCII = /[^\t\n\r -~]/

/** Characters that are invisible on a screen but would hide a key from us, such as a zero-width space inside `ghp_`. */
const INVISIBLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g

/** The other invisible characters have a meaning elsewhere, as in the emoji of a family, but none between ASCII. */
const BETWEEN_ASCII = /(?<=[!-~])[\p{Default_Ignorable_Code_Point}\p{Format}]+(?=[!-~])/gu

/**
 * Removes known key shapes and the exact values in `secrets`, also URL-encoded, in base64 and in JSON.
 * Takes time in proportion to the text, and changes nothing the second time.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  const seen = visible(text)
  const forms = formsOf(secrets)
  // Most texts, such as names and ids, contain nothing that could be a key.
  if (!mayHoldKey(seen) && !forms.some((form) => seen.includes(form))) return seen
  let before = seen
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const after = redactOnce(before, forms)
    if (after === before) break
    before = after
  }
  return before
}

function redactOnce(text: string, forms: readonly string[]): string {
  // Marks of an earlier redaction stay as they are, whatever the secrets are.
  return text
    .split(MARK)
    .map((part) => redactPart(part, forms))
    .join(MARK)
}

/** The same for a text of which at most `max` units are needed: text far behind them is not searched. */
export function redactStart(text: string, max: number, secrets: readonly string[] = []): string {
  // Redaction shortens the text, so more than `max` is needed.
  const enough = 2 * max + 4096
  if (text.length <= enough) return redact(text, secrets)
  // A key that is cut in half would not match its pattern, so the last word is dropped if enough text remains.
  const start = text.slice(0, enough)
  const cut = Math.max(start.lastIndexOf(' '), start.lastIndexOf('\n'))
  return redact(cut > max ? start.slice(0, cut) : start, secrets)
}

function redactPart(text: string, forms: readonly string[]): string {
  let parts = [text]
  for (const form of forms) {
    if (text.includes(form)) parts = parts.flatMap((part) => part.split(form))
  }
  return parts.map(redactShapes).join(MARK)
}

function redactShapes(text: string): string {
  if (!mayHoldKey(text)) return text
  const searched = searchable(text)
  let parts = [text]
  for (const group of groups) {
    if (!mayMatch(group, searched) || group.gate?.(text) === false) continue
    for (const shape of group.shapes) {
      if (mayMatch(shape, searched)) parts = cutOut(parts, shape)
    }
  }
  return parts.join(MARK)
}

/** The parts of the texts around the keys of one shape. */
function cutOut(texts: string[], shape: Shape): string[] {
  const parts: string[] = []
  for (const text of texts) {
    let from = 0
    for (const [start, end] of keysIn(text, shape)) {
      parts.push(text.slice(from, start))
      from = end
    }
    parts.push(from === 0 ? text : text.slice(from))
  }
  return parts
}

function keysIn(text: string, { scope, ...shape }: Shape): [start: number, end: number][] {
  if (!scope) return keysOf(text, shape)
  return [...text.matchAll(scope)].flatMap(({ index, 0: within }) =>
    keysOf(within, shape).map(([start, end]): [number, number] => [index + start, index + end]),
  )
}

function keysOf(text: string, { pattern, accept }: Shape): [start: number, end: number][] {
  const keys: [number, number][] = []
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const start = match.index + (match.groups?.keep?.length ?? 0)
    const end = withoutBold(text, start, pattern.lastIndex)
    if (!accept || accept(text.slice(start, end), text.slice(end, end + 40)))
      keys.push([start, end])
  }
  return keys
}

/** The end of a key without the mark of Markdown behind it, which would be left open: `**hunter2**`. */
function withoutBold(text: string, start: number, end: number): number {
  if (text.charAt(start - 1) !== '*') return end
  let before = end
  while (before > start && text.charAt(before - 1) === '*') before -= 1
  return before > start ? before : end
}

/** The text without invisible characters, as `redact` returns one that holds no secret. */
export function visible(text: string): string {
  if (!NOT_ASCII.test(text)) return text
  return text.replace(INVISIBLE, '').replace(BETWEEN_ASCII, '')
}

const known = new WeakMap<readonly string[], readonly string[]>()

/** All encodings of the secrets, longest first, because one secret may be part of another. */
function formsOf(secrets: readonly string[]): readonly string[] {
  const before = known.get(secrets)
  if (before) return before
  const forms = secrets
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret.toWellFormed()),
      Buffer.from(secret).toString('base64'),
      JSON.stringify(secret).slice(1, -1),
    ])
    .map(visible)
    .filter((form) => form.length >= MIN_SECRET)
  const sorted = [...new Set(forms)].sort((a, b) => b.length - a.length)
  known.set(secrets, sorted)
  return sorted
}
