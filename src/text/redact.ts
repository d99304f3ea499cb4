const MARK = '[redacted]'
/** Shorter values are words such as `true` or a port: taking them out would only harm the text. */
const MIN_SECRET = 6

/**
 * Shapes of well-known keys. Each is specific enough not to hit ordinary prose or code, and looks only so far
 * ahead: without a bound, a long text of half matches would take seconds.
 */
const shapes = [
  /https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/-]+/g,
  /\bxox[abeoprs]-[\w-]{10,}/g,
  /\bxapp-[\w-]{10,}/g,
  /\bsk-(?=[\w-]{0,99}\d)[\w-]{20,}/g,
  /\bfk-(?=[\w-]{0,99}\d)[\w-]{16,}/g,
  /\b[sr]k_(?:live|test)_\w{16,}/g,
  /\b(?:ghp|gho|ghu|ghs|ghr)_\w{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\beyJ[\w-]{10,999}\.[\w-]{10,}\.[\w-]{5,}/g,
  /-----BEGIN [A-Z ]*KEY-----[\s\S]*?(?:-----END [A-Z ]*KEY-----|$)/g,
  // user:password@host of a URL: the password.
  /(?<=\b[a-z][a-z+.-]{1,20}:\/\/[^\s/:@'"]{0,100}:)[^\s/@'"]{3,}(?=@)/gi,
  /(?<=\bAuthorization["']?\s?[:=]\s?["']?(?:Bearer|Basic|Token)\s)[^\s'",;]{6,}/gi,
  // What is assigned to a name of a secret, where it looks like a value and not like a word or an expression.
  /(?<=(?:password|passwd|api_?key|secret|token)["']?\s?[:=]\s?["']?)(?=[^\s'",;(){}<>$]{0,99}\d)[^\s'",;(){}<>$]{6,}(?=["'\s,;]|$)/gim,
]

/** Without any of these no shape can match: most texts are done with one look. */
const hints =
  /hooks\.slack|xox|xapp-|sk-|fk-|k_live|k_test|gh[oprsu]_|github_pat|glpat|npm_|AKIA|ASIA|AIza|eyJ|KEY-----|:\/\/|authorization|passw|api_?key|secret|token/i

/** Removes known key shapes and the exact values in `secrets`, also URL-encoded, in base64 and in JSON. */
export function redact(text: string, secrets: readonly string[] = []): string {
  // What is redacted already is left as it is, whatever the secrets are.
  return text
    .split(MARK)
    .map((part) => redactPart(part, secrets))
    .join(MARK)
}

function redactPart(text: string, secrets: readonly string[]): string {
  let parts = [text]
  for (const form of formsOf(secrets)) {
    if (text.includes(form)) parts = parts.flatMap((part) => part.split(form))
  }
  return parts.map(redactShapes).join(MARK)
}

function redactShapes(text: string): string {
  if (!hints.test(text)) return text
  return shapes.reduce((result, shape) => result.replace(shape, MARK), text)
}

const known = new WeakMap<readonly string[], readonly string[]>()

/** Longest first: a secret may be a part of another. */
function formsOf(secrets: readonly string[]): readonly string[] {
  const before = known.get(secrets)
  if (before) return before
  const forms = secrets
    .filter((secret) => secret.length >= MIN_SECRET)
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret.toWellFormed()),
      Buffer.from(secret).toString('base64'),
      JSON.stringify(secret).slice(1, -1),
    ])
  const sorted = [...new Set(forms)].sort((a, b) => b.length - a.length)
  known.set(secrets, sorted)
  return sorted
}
