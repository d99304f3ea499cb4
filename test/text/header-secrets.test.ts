import { describe, expect, it } from 'vitest'
import { redact } from '../../src/text/redact.ts'
import { marked } from '../support/marked.ts'

const secret = [
  'Authorization: Bearer `«abcdef0123456»`',
  'Authorization: «xyz123abc»',
  "curl -H 'Authorization: «xyzsecretvalue»' https://api.example.com",
  'curl -H "Authorization: ApiKey «abcdef12345»" https://api.example.com',
  'curl -H "Authorization: GenieKey «eb243592-faa2-4ba2-a551q-1afdf565c889»" https://api.opsgenie.com',
  'curl -H "Authorization: Key «0a1b2c3d4e5f»" x',
  'curl -H "Authorization: SSWS «00QCjAl4MlV-WPXM»" x',
  'headers: { "Authorization": "«lin0123456789abc»" }',
  '{"Authorization":"«0123456789abcdef0123»"}',
  '  Authorization: «0123456789abcdef0123»',
  'Authorization: Digest «username="u", realm="r", nonce="n", response="6629fae49393a05397450978507c4ef1"»',
  'Authorization: AWS4-HMAC-SHA256 «Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=5d672d79c15b13162d9279b0855cfba6»',
  'Proxy-Authorization: «abcdef0123456»',
  'X-Authorization: «abcdef0123456»',
  'Cookie: «sessionid=abcdef0123456789abcdef»',
  'Set-Cookie: «session=abcdef0123456789; Path=/»; HttpOnly',
  'Set-Cookie: connect.sid=«s%3AabcDEF123.sig»; Path=/',
  "curl -H 'Cookie: PHPSESSID=«0a1b2c3d4e5f6g7h»' x",
  'curl --header "PRIVATE-TOKEN: «abcdefghijkl»" x',
  '{"command":"curl -H \\"Authorization: «xyzsecret99»\\" https://x"}',
  '{"command": "curl -H \'Authorization: «xyzsecret»\' https://x"}',
  "curl -X POST https://x -H 'Content-Type: application/json' -H 'X-Api-Key: «abcdefghij»' -d '{}'",
  "curl --header 'Private-Token: «abcdefghij»' https://gitlab",
  'curl -H "X-Vault-Token: «rootroot»" http://127.0.0.1:8200',
  'curl -H "apikey: «abcdefghij»" https://x.supabase.co',
  'curl https://x -H "Authorization:«abc123def456»"',
  'wget --header="Authorization: «abc123def456»" https://x',
  'Cookie: «a=b; session=abcdef0123456789; c=d»',
  '{"Cookie": "«session=abcdef0123456789»"}',
  'set-cookie: «__Host-token=abcdef0123456789»; Secure',
]

/** Prose and commands that look similar. */
const harmless = [
  'Authorization: see docs',
  'Authorization: see docs/v2/auth.md',
  'Authorization: RFC-6750, section 2.1',
  'Authorization: oauth2-proxy handles this',
  'Authorization: middleware/auth2.ts:123',
  'authorization: enabled',
  '"authorization": "rbac"',
  'Authorization: none (401 for anonymous users, 403 for others)',
  'Authorization: Users v2.15.0 and later',
  'Authorization: required for this route',
  'Authorization header is missing; the Authorization: line comes from https://example.com/a1b2c3',
  "authorization: { type: 'oauth2', flows: {} }",
  "const authorization = request.headers.authorization ?? ''",
  'headers: { Authorization: `Bearer ${token}` }',
  'curl -H "Authorization: Bearer $TOKEN" https://api.example.com/v1/items',
  'curl -H "Authorization: $(cat header)" -H "X-Token: ${TOKEN}" https://x',
  'curl -H \'Authorization: <token>\' -H "Content-Type: application/json" https://x',
  'curl -H "Accept: text/plain" -H "X-Request-Id: 0a1b2c3d4e5f" https://x',
  "if (header.startsWith('Authorization: ')) return header.slice('Authorization: '.length)",
  'Cookie: theme=dark; lang=en',
  'Cookie: name=value',
  'Set-Cookie: consent=; Path=/; Max-Age=0',
  'The cookie: a small file. Cookie banners, cookie=true',
  'session_id=550e8400-e29b-41d4-a716-446655440000 of the agent, sessionId: abc',
]

describe('secrets in headers', () => {
  it.each(secret)('are removed from %j', (line) => {
    const { text, shown } = marked(line)
    expect(redact(text)).toBe(shown)
    expect(redact(shown)).toBe(shown)
  })

  it.each(harmless)('are not seen in %j', (text) => {
    expect(redact(text)).toBe(text)
  })
})
