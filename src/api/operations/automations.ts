// Written by `npm run gen` from the table in src/api/endpoints/.
import type { OperationTree } from '../operation.ts'

export const automations: OperationTree = {
  ci: {
    repositories: {
      path: "/api/v0/automations/ci/repositories",
    },
    scan: {
      path: "/api/v0/automations/ci/scan",
    },
  },
}
