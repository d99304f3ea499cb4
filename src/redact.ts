const MARK = '[redacted]'

/** Shapes of well-known keys. Each is specific enough not to hit ordinary prose. */
const shapes = [
  /https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/-]+/g,
  /\bxox[abeprs]-[\w-]{10,}/g,
  /\bxapp-[\w-]{10,}/g,
  /\bsk-[\w-]{20,}/g,
  /\bfk-[\w-]{16,}/g,
  /\b(?:ghp|gho|ghu|ghs|ghr)_\w{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}/g,
  /-----BEGIN [A-Z ]*KEY-----[\s\S]*?(?:-----END [A-Z ]*KEY-----|$)/g,
  /(?<=\b(?:Authorization: ?(?:Bearer|Basic)|password ?[=:]|passwd ?[=:]|api_?key ?[=:]|secret ?[=:]) ?)[^\s'",;]{6,}/gi,
]

/** Removes known key shapes and the exact values in `secrets`, also URL-encoded and in base64. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let result = text
  for (const secret of secrets) {
    if (secret.length < 4) continue
    for (const form of [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
    ]) {
      result = result.replaceAll(form, MARK)
    }
  }
  for (const shape of shapes) result = result.replace(shape, MARK)
  return result
}
