// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../core/operation.ts'

export const automations: OperationTree = {
  ci: {
    repositories: {
      id: "automations.ci.repositories",
      method: "GET",
      path: "/api/v0/automations/ci/repositories",
      host: "base",
      success: [200],
      retry: "safe",
      response: {},
    },
    scan: {
      id: "automations.ci.scan",
      method: "GET",
      path: "/api/v0/automations/ci/scan",
      host: "base",
      success: [200],
      retry: "safe",
      response: {},
    },
  },
}
