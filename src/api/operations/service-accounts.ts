// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../core/operation.ts'
import { closed, number, open, someText, type Shape } from '../validation/shape.ts'

const ApiKey: Shape = open({ id: someText, value: someText, fingerprint: someText, name: someText, expiresAt: number }, ["id", "value", "fingerprint", "name"])

export const serviceAccounts: OperationTree = {
  keys: {
    rotate: {
      id: "serviceAccounts.keys.rotate",
      method: "POST",
      path: "/api/v0/service-accounts/{serviceAccountId}/api-keys/{keyId}/rotate",
      host: "base",
      success: [200],
      retry: "never",
      hints: { '400': "the grace period must not outlast the expiry of the key, and the body takes no other properties", '403': "service accounts need an enterprise plan and the Manager or Owner role" },
      params: closed({ serviceAccountId: someText, keyId: someText }, ["serviceAccountId", "keyId"]),
      body: closed({ expiresAt: { type: "integer", exclusiveMinimum: 0 }, gracePeriodMinutes: { type: "integer", minimum: 0, maximum: 10 } }),
      response: open({ apiKey: ApiKey }, ["apiKey"]),
    },
  },
}
