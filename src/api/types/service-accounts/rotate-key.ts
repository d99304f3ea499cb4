// Written by `npm run gen` from the table in src/api/endpoints/.

export interface RotateKeyResponse {
  /** The replacement. */
  apiKey: ApiKey
}

export interface ApiKey {
  /** API key ID. */
  id: string
  /** The key itself, shown only in this response. */
  value: string
  /** End of the key, for display; the key cannot be derived from it. */
  fingerprint: string
  /** Name, taken over from the old key. */
  name: string
  /** When the key expires, in Unix milliseconds. */
  expiresAt?: number
}
