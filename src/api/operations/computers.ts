// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../core/operation.ts'
import { text, number, someText, texts, type Shape } from '../core/shape.ts'

const Computer: Shape = {type:"object",properties:{id:text,name:{type:"string",minLength:1,maxLength:63},providerType:text,createdAt:number,hostId:text,status:text,provisioningSteps:{type:"array",items:{type:"object",properties:{id:text,name:text,status:text,error:text,startedAt:number,completedAt:number,installSessionId:text}}},relayClientUrl:text,relayAgentUrl:text,remoteUser:text,clonedRepoDirectories:texts,ownerPrincipalKind:text,ownerId:text,computerSource:{anyOf:[{type:"object",properties:{kind:{type:"string",enum:["template"]},templateId:text},required:["kind","templateId"]},{type:"object",properties:{kind:{type:"string",not:{enum:["template"]}}}}]},deletedAt:{}},required:["id","name","providerType","createdAt"]}

export const computers: OperationTree = {
  getByName: {
    id: "computers.getByName",
    method: "GET",
    path: "/api/v0/computers/name/{name}",
    host: "base",
    success: [200],
    retry: "safe",
    params: {type:"object",properties:{name:{type:"string",minLength:1,maxLength:63}},required:["name"],additionalProperties:false},
    response: Computer,
  },
  get: {
    id: "computers.get",
    method: "GET",
    path: "/api/v0/computers/{computerId}",
    host: "base",
    success: [200],
    retry: "safe",
    hints: {"403":"only your own computers; those of service accounts need the Manager or Owner role"},
    params: {type:"object",properties:{computerId:someText},required:["computerId"],additionalProperties:false},
    response: Computer,
  },
  refresh: {
    id: "computers.refresh",
    method: "POST",
    path: "/api/v0/computers/{computerId}/refresh",
    host: "base",
    success: [200],
    retry: "never",
    hints: {"403":"only your own computers; those of service accounts need the Manager or Owner role"},
    params: {type:"object",properties:{computerId:someText},required:["computerId"],additionalProperties:false},
    response: {type:"object",properties:{configured:number},required:["configured"]},
  },
  delete: {
    id: "computers.delete",
    method: "DELETE",
    path: "/api/v0/computers/{computerId}",
    host: "base",
    success: [200,204],
    emptyResponse: true,
    retry: "safe",
    hints: {"403":"only your own computers; those of service accounts need the Manager or Owner role"},
    params: {type:"object",properties:{computerId:someText},required:["computerId"],additionalProperties:false},
    response: {type:"object",properties:{}},
  },
}
