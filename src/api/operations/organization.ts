// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../core/operation.ts'
import { closed, list, open, someText, text, type Shape } from '../validation/shape.ts'

const GlobalLimit: Shape = open({ limit: { type: ["integer", "null"], minimum: 0 } }, ["limit"])

export const organization: OperationTree = {
  limits: {
    getGlobal: {
      id: "organization.limits.getGlobal",
      method: "GET",
      path: "/api/v0/organization/usage/limits/global",
      host: "base",
      success: [200],
      retry: "safe",
      response: GlobalLimit,
    },
    setGlobal: {
      id: "organization.limits.setGlobal",
      method: "PUT",
      path: "/api/v0/organization/usage/limits/global",
      host: "base",
      success: [200],
      retry: "safe",
      body: closed({ limit: { type: ["integer", "null"], minimum: 1000000 } }, ["limit"]),
      response: GlobalLimit,
    },
    setUsers: {
      id: "organization.limits.setUsers",
      method: "PUT",
      path: "/api/v0/organization/usage/limits/users",
      host: "base",
      success: [200],
      retry: "safe",
      body: closed({ users: { minItems: 1, maxItems: 100, type: "array", items: closed({ email: someText, limit: { type: ["integer", "null"], minimum: 0 } }, ["email", "limit"]) } }, ["users"]),
      response: open({ updated: list(open({ email: text, limit: { type: ["integer", "null"] } }, ["email", "limit"])), errors: list(open({ email: text, error: text }, ["email", "error"])) }, ["updated", "errors"]),
    },
  },
  users: {
    remove: {
      id: "organization.users.remove",
      method: "DELETE",
      path: "/api/v0/organization/users",
      host: "base",
      success: [200, 204],
      emptyResponse: true,
      retry: "safe",
      query: closed({ email: someText }, ["email"]),
      response: open({}),
    },
  },
}
