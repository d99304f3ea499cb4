// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../core/operation.ts'
import { text, number, integer, boolean, someText, texts, type Shape } from '../core/shape.ts'

const SessionSettingsInput: Shape = {type:"object",properties:{model:text,specModeModel:text,runInWorktree:boolean,providerLockTimestamp:text,assistantActiveTimeMs:number,archivedAt:text,enabledToolIds:texts,disabledToolIds:texts,compactionModel:text,compactionThresholdCheckEnabled:boolean,reasoningEffort:text,specModeReasoningEffort:text,interactionMode:text,autonomyLevel:text,autonomyMode:text,providerLock:text,apiProviderLock:text,tags:{type:"array",items:{type:"object",properties:{name:text,metadata:{type:"object"}},required:["name"],additionalProperties:false}},childInclusiveTokenUsageBySessionId:{type:"object"}},additionalProperties:false}

const TokenUsage: Shape = {type:"object",properties:{inputTokens:number,outputTokens:number,cacheCreationTokens:number,cacheReadTokens:number,thinkingTokens:number,credits:number}}

const SessionSettings: Shape = {type:"object",properties:{model:text,specModeModel:text,runInWorktree:boolean,providerLockTimestamp:text,assistantActiveTimeMs:number,archivedAt:text,enabledToolIds:texts,disabledToolIds:texts,compactionModel:text,compactionThresholdCheckEnabled:boolean,reasoningEffort:text,specModeReasoningEffort:text,interactionMode:text,autonomyLevel:text,autonomyMode:text,providerLock:text,apiProviderLock:text,tags:{type:"array",items:{type:"object",properties:{name:text,metadata:{type:"object"}},required:["name"]}},tokenUsage:TokenUsage,inclusiveTokenUsage:TokenUsage,childInclusiveTokenUsageBySessionId:{type:"object",additionalProperties:TokenUsage}}}

const Session: Shape = {type:"object",properties:{sessionId:text,status:text,messageCount:integer,createdAt:integer,updatedAt:integer,title:text,completedAt:integer,computerId:text,sessionSettings:SessionSettings},required:["sessionId","status","messageCount","createdAt","updatedAt"]}

const ContentBlock: Shape = {anyOf:[{type:"object",properties:{type:{type:"string",enum:["text","image","thinking","redacted_thinking","tool_use","tool_result","document"]},id:text,text:text,thinking:text,signature:text,durationMs:number,name:text,input:{},toolUseId:text,content:{},isError:boolean,source:{}},required:["type"]},{type:"object",properties:{type:{type:"string",not:{enum:["text","image","thinking","redacted_thinking","tool_use","tool_result","document"]}}},required:["type"]}]}

const Message: Shape = {type:"object",properties:{id:text,role:text,content:{type:"array",items:ContentBlock},createdAt:number,updatedAt:number,parentId:text,userMessageSource:text,visibility:text,isUserVisible:boolean,hiddenFromUserViews:boolean,isError:boolean,modelId:text,routerId:text,reasoningEffort:text,interactionMode:text,chatCompletionReasoningField:text,chatCompletionReasoningContent:text,parallelGroupId:text,isParallelExecution:boolean,hookEventName:text,hookMatcher:text,hookToolCallId:text,hookCommands:{type:"array",items:{type:"object",properties:{command:text,timeout:number}}},hookStatus:text,hookResults:{type:"array",items:{type:"object",properties:{exitCode:number,stdout:text,stderr:text,suppressOutput:boolean}}},hookStartTime:number,hookEndTime:number,providerMessageId:text,providerPhase:text,providerEncryptedContent:text,providerReasoningId:text,providerReasoningSummary:text,providerThoughtSignature:text},required:["id","role","content","createdAt","updatedAt"]}

export const sessions: OperationTree = {
  create: {
    id: "sessions.create",
    method: "POST",
    path: "/api/v0/sessions",
    host: "base",
    success: [201],
    neutralNames: {credits:["sessionSettings.tokenUsage","sessionSettings.inclusiveTokenUsage","sessionSettings.childInclusiveTokenUsageBySessionId.*"]},
    retry: "never",
    hints: {"403":"enabled for selected organizations only"},
    body: {type:"object",properties:{computerId:text,cwd:{type:"string",minLength:1,maxLength:4096},sessionSettings:SessionSettingsInput},required:["computerId"],additionalProperties:false},
    response: Session,
  },
  messages: {
    add: {
      id: "sessions.messages.add",
      method: "POST",
      path: "/api/v0/sessions/{sessionId}/messages",
      host: "base",
      success: [200],
      retry: "never",
      hints: {"403":"enabled for selected organizations only"},
      params: {type:"object",properties:{sessionId:someText},required:["sessionId"],additionalProperties:false},
      body: {type:"object",properties:{text:text,images:{type:"array",items:{type:"object",properties:{type:{type:"string",enum:["base64"]},data:text,mediaType:text},required:["type","data"],additionalProperties:false}},files:{type:"array",items:{type:"object",properties:{type:{type:"string",enum:["base64"]},data:text,mediaType:text,parsedData:text,name:text,path:text},required:["type","data"],additionalProperties:false}},computerId:text},required:["text"],additionalProperties:false},
      response: {type:"object",properties:{messageId:text,status:text},required:["messageId","status"]},
    },
    list: {
      id: "sessions.messages.list",
      method: "GET",
      path: "/api/v0/sessions/{sessionId}/messages",
      host: "base",
      wire: {limit:"limit",cursor:"cursor",computerId:"computerId",role:"role"},
      success: [200],
      neutralNames: {provider:["messages.*"]},
      retry: "safe",
      hints: {"403":"enabled for selected organizations only"},
      page: {items:"messages",next:{from:"response",path:"pagination.nextCursor"},hasMore:"pagination.hasMore",cursor:"cursor",size:"limit",end:"no-cursor"},
      params: {type:"object",properties:{sessionId:someText},required:["sessionId"],additionalProperties:false},
      query: {type:"object",properties:{limit:{type:"integer",minimum:1,maximum:100},cursor:text,computerId:text,role:{type:"string",enum:["user","assistant","tool"]}},additionalProperties:false},
      response: {type:"object",properties:{messages:{type:"array",items:Message},pagination:{type:"object",properties:{hasMore:boolean,nextCursor:{type:["string","null"]}},required:["hasMore"]}},required:["messages","pagination"]},
    },
  },
}
