// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../operation.ts'
import { shape } from '../validation/shape.ts'

const ApiKey = shape`{id:S,value:S,fingerprint:S,name:S,expiresAt?:n}`

export const serviceAccounts: OperationTree = {
  keys: {
    rotate: {
      method: "POST",
      path: "/api/v0/service-accounts/{serviceAccountId}/api-keys/{keyId}/rotate",
      strictInput: true,
      hints: { '400': "the grace period must not outlast the expiry of the key, and the body takes no other properties", '403': "service accounts need an enterprise plan and the Manager or Owner role" },
      retry: "never",
      params: shape`!{serviceAccountId:S,keyId:S}`,
      body: shape`!{expiresAt?:${{ type: "integer", exclusiveMinimum: 0 }},gracePeriodMinutes?:${{ type: "integer", minimum: 0, maximum: 10 }}}`,
      response: shape`{apiKey:${ApiKey}}`,
    },
  },
}
