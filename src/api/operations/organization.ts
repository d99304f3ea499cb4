// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../operation.ts'
import { shape } from '../validation/shape.ts'

const GlobalLimit = shape`{limit:${{ type: ["integer", "null"], minimum: 0 }}}`

export const organization: OperationTree = {
  limits: {
    getGlobal: {
      method: "GET",
      path: "/api/v0/organization/usage/limits/global",
      response: GlobalLimit,
    },
    setGlobal: {
      method: "PUT",
      path: "/api/v0/organization/usage/limits/global",
      body: shape`!{limit:${{ type: ["integer", "null"], minimum: 1000000 }}}`,
      response: GlobalLimit,
    },
    setUsers: {
      method: "PUT",
      path: "/api/v0/organization/usage/limits/users",
      body: shape`!{users:${{ minItems: 1, maxItems: 100, type: "array", items: shape`!{email:${{ type: "string", format: "email" }},limit:${{ type: ["integer", "null"], minimum: 0 }}}` }}}`,
      response: shape`{updated:[{email:s,limit:i0}],errors:[{email:s,error:s}]}`,
    },
  },
  users: {
    remove: {
      method: "DELETE",
      path: "/api/v0/organization/users",
      emptyResponse: true,
      success: [200, 204],
      query: shape`!{email:${{ type: "string", format: "email" }}}`,
      response: shape`{}`,
    },
  },
}
