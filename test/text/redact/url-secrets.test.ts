import { testRedaction } from './redaction-suite.ts'

const secret = [
  'https://api.example.com/v1/items?key=«abcdef0123456789abcdef»',
  'https://maps.example.com/api/js?key=«AbCdEf12345GhIjKl678»&callback=init',
  'https://app.example.com/oauth/callback?code=«4/0AX4XfWh3kQ9ZpLm7tRs»&state=xyz',
  'https://example.com/invite?t=1&key=«abc123def456»',
  'curl "https://x/api?apikey=«abcdef123456»&q=a"',
  'curl "https://x/api?auth=«abcdef123456»"',
  'curl -d "user=me&pass=«hunter»" https://x',
  'https://example.com/reset?token=«abc123»',
  'https://example.com/?user_token=«abc123»&db.password=«hunter»',
  'https://example.com/?client_secret=«correcthorse»&a=b',
  'https://example.com/#access_token=«abcdef12345»&token_type=bearer',
  'https://example.com/o?X-Goog-Signature=«0123456789abcdef»',
  'https://example.com/o?X-Amz-Security-Token=«0123456789abcdef»&a=b',
  'https://example.com/o?Expires=1&Signature=«abcDEF123~-_abcDEF123»&Key-Pair-Id=K1',
  'https://example.com/?jwt=«a1b2c3d4e5f6»&session=«a1b2c3d4e5f6»',
]

/** Parameters with the same names. */
const harmless = [
  'https://example.com/a?code=404 and https://example.com/docs?code=js-examples-2024',
  'https://example.com/?status_code=200&country_code=DE&zip_code=12345',
  'https://example.com/?key=name&sort_key=created_at&lang=en&code=en-US',
  'https://example.com/?key=1714550400000&code=2024-05-01T10:22',
  'https://example.com/?key=docs/a1/b2/c3/keys&key=${KEY}&token=$TOKEN&pass=<password>',
  'https://example.com/?reset_password=true&token=expired&pass=null',
  'https://example.com/watch?v=dQw4w9WgXcQ&auth=oauth2-proxy',
  'if (a?.token === b) c = d ? key=1 : code=2',
]

testRedaction('parameters of a URL', { secret, harmless })
