// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../core/operation.ts'
import { text, someText, type Shape } from '../core/shape.ts'

const GlobalLimit: Shape = {type:"object",properties:{limit:{type:["integer","null"],minimum:0}},required:["limit"]}

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
      body: {type:"object",properties:{limit:{type:["integer","null"],minimum:1000000}},required:["limit"],additionalProperties:false},
      response: GlobalLimit,
    },
    setUsers: {
      id: "organization.limits.setUsers",
      method: "PUT",
      path: "/api/v0/organization/usage/limits/users",
      host: "base",
      success: [200],
      retry: "safe",
      body: {type:"object",properties:{users:{minItems:1,maxItems:100,type:"array",items:{type:"object",properties:{email:someText,limit:{type:["integer","null"],minimum:0}},required:["email","limit"],additionalProperties:false}}},required:["users"],additionalProperties:false},
      response: {type:"object",properties:{updated:{type:"array",items:{type:"object",properties:{email:text,limit:{type:["integer","null"]}},required:["email","limit"]}},errors:{type:"array",items:{type:"object",properties:{email:text,error:text},required:["email","error"]}}},required:["updated","errors"]},
    },
  },
  users: {
    remove: {
      id: "organization.users.remove",
      method: "DELETE",
      path: "/api/v0/organization/users",
      host: "base",
      wire: {email:"email"},
      success: [200,204],
      emptyResponse: true,
      retry: "safe",
      query: {type:"object",properties:{email:someText},required:["email"],additionalProperties:false},
      response: {type:"object",properties:{}},
    },
  },
}
