// Written by `npm run gen` from the table in src/api/endpoints/.
import type { OperationTree } from '../operation.ts'

const shared0 = { '403': "the organization has switched off cloud sync of wikis" }

export const wiki: OperationTree = {
  create: {
    method: "POST",
    path: "/api/v0/wiki",
    passthrough: true,
    hints: shared0,
    body: `{}`,
  },
  get: {
    path: "/api/v0/wiki/{wikiRunId}",
    hints: shared0,
  },
  search: {
    path: "/api/v0/wiki/{wikiRunId}/search",
    passthrough: true,
    hints: shared0,
    query: `{}`,
  },
  setPrivacy: {
    method: "POST",
    path: "/api/v0/wiki/{wikiRunId}/privacy",
    passthrough: true,
    hints: shared0,
    body: `{}`,
  },
}
