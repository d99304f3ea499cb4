// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../core/operation.ts'
import { closed, list, number, open, someText, text, type Shape } from '../validation/shape.ts'

const same0 = { '403': "only your own computers; those of service accounts need the Manager or Owner role" }

const Computer: Shape = open({ id: text, name: { type: "string", minLength: 1, maxLength: 63 }, providerType: text, createdAt: number, hostId: text, status: text, provisioningSteps: list(open({ id: text, name: text, status: text, error: text, startedAt: number, completedAt: number, installSessionId: text })), relayClientUrl: text, relayAgentUrl: text, remoteUser: text, clonedRepoDirectories: list(text), ownerPrincipalKind: text, ownerId: text, computerSource: { anyOf: [open({ kind: { type: "string", enum: ["template"] }, templateId: text }, ["kind", "templateId"]), open({ kind: { type: "string", not: { enum: ["template"] } } })] }, deletedAt: {} }, ["id", "name", "providerType", "createdAt"])

export const computers: OperationTree = {
  getByName: {
    id: "computers.getByName",
    method: "GET",
    path: "/api/v0/computers/name/{name}",
    host: "base",
    success: [200],
    retry: "safe",
    params: closed({ name: { type: "string", minLength: 1, maxLength: 63 } }, ["name"]),
    response: Computer,
  },
  get: {
    id: "computers.get",
    method: "GET",
    path: "/api/v0/computers/{computerId}",
    host: "base",
    success: [200],
    retry: "safe",
    hints: same0,
    params: closed({ computerId: someText }, ["computerId"]),
    response: Computer,
  },
  refresh: {
    id: "computers.refresh",
    method: "POST",
    path: "/api/v0/computers/{computerId}/refresh",
    host: "base",
    success: [200],
    retry: "never",
    hints: same0,
    params: closed({ computerId: someText }, ["computerId"]),
    response: open({ configured: number }, ["configured"]),
  },
  delete: {
    id: "computers.delete",
    method: "DELETE",
    path: "/api/v0/computers/{computerId}",
    host: "base",
    success: [200, 204],
    emptyResponse: true,
    retry: "safe",
    hints: same0,
    params: closed({ computerId: someText }, ["computerId"]),
    response: open({}),
  },
}
