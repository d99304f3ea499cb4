// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../core/operation.ts'
import { closed, open, someText } from '../validation/shape.ts'

const same0 = { '403': "the organization has switched off cloud sync of wikis" }

export const wiki: OperationTree = {
  create: {
    id: "wiki.create",
    method: "POST",
    path: "/api/v0/wiki",
    host: "base",
    passthrough: true,
    success: [200],
    retry: "never",
    hints: same0,
    body: open({}),
    response: {},
  },
  get: {
    id: "wiki.get",
    method: "GET",
    path: "/api/v0/wiki/{wikiRunId}",
    host: "base",
    success: [200],
    retry: "safe",
    hints: same0,
    params: closed({ wikiRunId: someText }, ["wikiRunId"]),
    response: {},
  },
  search: {
    id: "wiki.search",
    method: "GET",
    path: "/api/v0/wiki/{wikiRunId}/search",
    host: "base",
    passthrough: true,
    success: [200],
    retry: "safe",
    hints: same0,
    params: closed({ wikiRunId: someText }, ["wikiRunId"]),
    query: open({}),
    response: {},
  },
  setPrivacy: {
    id: "wiki.setPrivacy",
    method: "POST",
    path: "/api/v0/wiki/{wikiRunId}/privacy",
    host: "base",
    passthrough: true,
    success: [200],
    retry: "never",
    hints: same0,
    params: closed({ wikiRunId: someText }, ["wikiRunId"]),
    body: open({}),
    response: {},
  },
}
