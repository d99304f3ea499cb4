// Written by `npm run gen` from the table in src/api/endpoints/.
import type { OperationTree } from '../operation.ts'
import { shape } from '../validation/shape.ts'

const hints0 = { '403': "the organization has switched off cloud sync of wikis" }

export const wiki: OperationTree = {
  create: {
    method: "POST",
    path: "/api/v0/wiki",
    passthrough: true,
    hints: hints0,
    body: shape`{}`,
    response: shape`*`,
  },
  get: {
    path: "/api/v0/wiki/{wikiRunId}",
    hints: hints0,
    response: shape`*`,
  },
  search: {
    path: "/api/v0/wiki/{wikiRunId}/search",
    passthrough: true,
    hints: hints0,
    query: shape`{}`,
    response: shape`*`,
  },
  setPrivacy: {
    method: "POST",
    path: "/api/v0/wiki/{wikiRunId}/privacy",
    passthrough: true,
    hints: hints0,
    body: shape`{}`,
    response: shape`*`,
  },
}
