// Written by `npm run gen` from the table in src/api/endpoints/.
import type { OperationTree } from '../operation.ts'

export const serviceAccounts: OperationTree = {
  keys: {
    rotate: {
      method: "POST",
      path: "/api/v0/service-accounts/{serviceAccountId}/api-keys/{keyId}/rotate",
      strictInput: true,
      hints: { '400': "the grace period must not outlast the expiry of the key", '403': "service accounts need an enterprise plan and the Manager or Owner role" },
      body: `!{expiresAt?:i(1-),gracePeriodMinutes?:i(0-10)}`,
      response: `{apiKey:{id,value,fingerprint,name:s(1-),expiresAt?:n}}`,
    },
  },
}
