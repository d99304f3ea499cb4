// Written by `npm run gen` from the table in src/api/endpoints/.
import type { OperationTree } from '../operation.ts'

const shared0 = { '403': "only your own computers; those of service accounts need the Manager or Owner role" }

const Computer = `{id,providerType,status?,relayClientUrl?,relayAgentUrl?,remoteUser?,ownerPrincipalKind?,ownerId?:s,name:s(1-63),createdAt:n,hostId?:u,provisioningSteps?:[{id?,name?,status?,error?,installSessionId?:s,startedAt?,completedAt?:n}],clonedRepoDirectories?:[s],computerSource?:{kind:(template),templateId:s}|{kind?:s}}`

export const computers: OperationTree = {
  getByName: {
    path: "/api/v0/computers/name/{name}",
    params: `!{name:s(1-63)}`,
    response: Computer,
  },
  get: {
    path: "/api/v0/computers/{computerId}",
    hints: shared0,
    response: Computer,
  },
  refresh: {
    method: "POST",
    path: "/api/v0/computers/{computerId}/refresh",
    hints: shared0,
    response: `{configured:n}`,
  },
  delete: {
    method: "DELETE",
    path: "/api/v0/computers/{computerId}",
    success: [200, 204],
    hints: shared0,
    response: `{}`,
  },
}
