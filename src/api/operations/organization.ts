// Written by `npm run gen` from the table in src/api/endpoints/.
import type { OperationTree } from '../operation.ts'
import { shape } from '../validation/shape.ts'

const GlobalLimit = shape`{limit:i0(0-)}`

export const organization: OperationTree = {
  limits: {
    getGlobal: {
      path: "/api/v0/organization/usage/limits/global",
      response: GlobalLimit,
    },
    setGlobal: {
      method: "PUT",
      path: "/api/v0/organization/usage/limits/global",
      body: shape`!{limit:i0(1000000-)}`,
      response: GlobalLimit,
    },
    setUsers: {
      method: "PUT",
      path: "/api/v0/organization/usage/limits/users",
      body: shape`!{users:[!{email:e,limit:i0(0-)}](1-100)}`,
      response: shape`{updated:[{email:s,limit:i0}],errors:[{email,error:s}]}`,
    },
  },
  users: {
    remove: {
      method: "DELETE",
      path: "/api/v0/organization/users",
      success: [200, 204],
      query: shape`!{email:e}`,
      response: shape`{}`,
    },
  },
}
