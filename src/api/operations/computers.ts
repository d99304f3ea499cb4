// Written by `npm run gen` from the table in src/api/endpoints/.
import type { OperationTree } from '../operation.ts'
import { shape } from '../validation/shape.ts'

const hints0 = { '403': "only your own computers; those of service accounts need the Manager or Owner role" }

const Computer = shape`{id,providerType,status?,relayClientUrl?,relayAgentUrl?,remoteUser?,ownerPrincipalKind?,ownerId?:s,name:s(1-63),createdAt:n,hostId?:u,provisioningSteps?:[{id?,name?,status?,error?,installSessionId?:s,startedAt?,completedAt?:n}],clonedRepoDirectories?:[s],computerSource?:${{ anyOf: [shape`{kind:(template),templateId:s}`, shape`{kind?:^(template)}`] }},deletedAt?:*}`

export const computers: OperationTree = {
  getByName: {
    path: "/api/v0/computers/name/{name}",
    params: shape`!{name:s(1-63)}`,
    response: Computer,
  },
  get: {
    path: "/api/v0/computers/{computerId}",
    hints: hints0,
    response: Computer,
  },
  refresh: {
    method: "POST",
    path: "/api/v0/computers/{computerId}/refresh",
    hints: hints0,
    response: shape`{configured:n}`,
  },
  delete: {
    method: "DELETE",
    path: "/api/v0/computers/{computerId}",
    success: [200, 204],
    hints: hints0,
    response: shape`{}`,
  },
}
