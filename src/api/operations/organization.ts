// Written by `npm run gen` from the table in src/api/endpoints/.
import type { OperationTree } from '../operation.ts'

const shared0 = "/api/v0/organization/usage/limits/global"

const GlobalLimit = `{limit:i0(0-)}`

export const organization: OperationTree = {
  limits: {
    getGlobal: {
      path: shared0,
      response: GlobalLimit,
    },
    setGlobal: {
      method: "PUT",
      path: shared0,
      body: `!{limit:i0(1000000-)}`,
      response: GlobalLimit,
    },
    setUsers: {
      method: "PUT",
      path: "/api/v0/organization/usage/limits/users",
      body: `!{users:[!{email:e,limit:i0(0-)}](1-100)}`,
      response: `{updated:[{email:s,limit:i0}],errors:[{email,error:s}]}`,
    },
  },
  users: {
    remove: {
      method: "DELETE",
      path: "/api/v0/organization/users",
      query: `!{email:e}`,
      response: `{}`,
    },
  },
}
