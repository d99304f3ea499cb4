// Written by `npm run gen` from the table in src/api/endpoints/.

export interface RotateKeyResponse {
  /** The replacement. */
  apiKey: ApiKey
}

export interface ApiKey {
  /** API key ID. */
  id: string
  /** The key itself, shown only in this answer. */
  value: string
  /** End of the key, for display; cannot be turned back. */
  fingerprint: string
  /** Name, the one of the key before it. */
  name: string
  /** When the key expires, in Unix milliseconds. */
  expiresAt?: number
}
