// Written by `npm run gen` from the table in src/api/endpoints/.
import type { OperationTree } from '../operation.ts'

const shared1 = { '403': "only your own computers; those of service accounts need the Manager or Owner role" }

const shared0 = "/api/v0/computers/{computerId}"

const Computer = `{id,providerType,status?,relayClientUrl?,relayAgentUrl?,remoteUser?,ownerPrincipalKind?,ownerId?:s,name:s(1-63),createdAt:n,hostId?:u,provisioningSteps?:[{id?,name?,status?,error?,installSessionId?:s,startedAt?,completedAt?:n}],clonedRepoDirectories?:[s],computerSource?:{kind:(template),templateId:s}|{kind?:s}}`

export const computers: OperationTree = {
  getByName: {
    path: "/api/v0/computers/name/{name}",
    params: `!{name:s(1-63)}`,
    response: Computer,
  },
  get: {
    path: shared0,
    hints: shared1,
    response: Computer,
  },
  refresh: {
    method: "POST",
    path: "/api/v0/computers/{computerId}/refresh",
    hints: shared1,
    response: `{configured:n}`,
  },
  delete: {
    method: "DELETE",
    path: shared0,
    hints: shared1,
    response: `{}`,
  },
}
