// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../operation.ts'
import { shape } from '../validation/shape.ts'

const same0 = { '403': "only your own computers; those of service accounts need the Manager or Owner role" }

const Computer = shape`{id:s,name:${{ type: "string", minLength: 1, maxLength: 63 }},providerType:s,createdAt:n,hostId?:${{ type: "string", format: "uuid" }},status?:s,provisioningSteps?:[{id?:s,name?:s,status?:s,error?:s,startedAt?:n,completedAt?:n,installSessionId?:s}],relayClientUrl?:s,relayAgentUrl?:s,remoteUser?:s,clonedRepoDirectories?:[s],ownerPrincipalKind?:s,ownerId?:s,computerSource?:${{ anyOf: [shape`{kind:${{ type: "string", enum: ["template"] }},templateId:s}`, shape`{kind?:${{ type: "string", not: { enum: ["template"] } }}}`] }},deletedAt?:*}`

export const computers: OperationTree = {
  getByName: {
    method: "GET",
    path: "/api/v0/computers/name/{name}",
    params: shape`!{name:${{ type: "string", minLength: 1, maxLength: 63 }}}`,
    response: Computer,
  },
  get: {
    method: "GET",
    path: "/api/v0/computers/{computerId}",
    hints: same0,
    params: shape`!{computerId:S}`,
    response: Computer,
  },
  refresh: {
    method: "POST",
    path: "/api/v0/computers/{computerId}/refresh",
    hints: same0,
    retry: "never",
    params: shape`!{computerId:S}`,
    response: shape`{configured:n}`,
  },
  delete: {
    method: "DELETE",
    path: "/api/v0/computers/{computerId}",
    emptyResponse: true,
    hints: same0,
    success: [200, 204],
    params: shape`!{computerId:S}`,
    response: shape`{}`,
  },
}
