// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../operation.ts'
import { shape } from '../validation/shape.ts'

const same0 = { '403': "the organization has switched off cloud sync of wikis" }

export const wiki: OperationTree = {
  create: {
    method: "POST",
    path: "/api/v0/wiki",
    passthrough: true,
    hints: same0,
    retry: "never",
    body: shape`{}`,
    response: shape`*`,
  },
  get: {
    method: "GET",
    path: "/api/v0/wiki/{wikiRunId}",
    hints: same0,
    params: shape`!{wikiRunId:S}`,
    response: shape`*`,
  },
  search: {
    method: "GET",
    path: "/api/v0/wiki/{wikiRunId}/search",
    passthrough: true,
    hints: same0,
    params: shape`!{wikiRunId:S}`,
    query: shape`{}`,
    response: shape`*`,
  },
  setPrivacy: {
    method: "POST",
    path: "/api/v0/wiki/{wikiRunId}/privacy",
    passthrough: true,
    hints: same0,
    retry: "never",
    params: shape`!{wikiRunId:S}`,
    body: shape`{}`,
    response: shape`*`,
  },
}
