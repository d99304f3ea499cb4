// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../operation.ts'
import { shape } from '../validation/shape.ts'

const same0 = { '403': "enabled for selected organizations only" }

const SessionSettingsInput = shape`!{model?:s,specModeModel?:s,runInWorktree?:b,providerLockTimestamp?:s,assistantActiveTimeMs?:n,archivedAt?:s,enabledToolIds?:[s],disabledToolIds?:[s],compactionModel?:s,compactionThresholdCheckEnabled?:b,reasoningEffort?:s,specModeReasoningEffort?:s,interactionMode?:s,autonomyLevel?:s,autonomyMode?:s,providerLock?:s,apiProviderLock?:s,tags?:[!{name:s,metadata?:o}],childInclusiveTokenUsageBySessionId?:o}`

const TokenUsage = shape`{inputTokens?:n,outputTokens?:n,cacheCreationTokens?:n,cacheReadTokens?:n,thinkingTokens?:n,credits?:n}`

const SessionSettings = shape`{model?:s,specModeModel?:s,runInWorktree?:b,providerLockTimestamp?:s,assistantActiveTimeMs?:n,archivedAt?:s,enabledToolIds?:[s],disabledToolIds?:[s],compactionModel?:s,compactionThresholdCheckEnabled?:b,reasoningEffort?:s,specModeReasoningEffort?:s,interactionMode?:s,autonomyLevel?:s,autonomyMode?:s,providerLock?:s,apiProviderLock?:s,tags?:[{name:s,metadata?:o}],tokenUsage?:${TokenUsage},inclusiveTokenUsage?:${TokenUsage},childInclusiveTokenUsageBySessionId?:<${TokenUsage}>}`

const Session = shape`{sessionId:s,status:s,messageCount:i,createdAt:i,updatedAt:i,title?:s,completedAt?:i,computerId?:s,sessionSettings?:${SessionSettings}}`

const TextBlock = shape`{type:${{ type: "string", enum: ["text"] }},text:s,id?:s}`

const ImageBlock = shape`{type:${{ type: "string", enum: ["image"] }},source?:*,id?:s}`

const ThinkingBlock = shape`{type:${{ type: "string", enum: ["thinking"] }},thinking:s,signature?:s,durationMs?:n,id?:s}`

const RedactedThinkingBlock = shape`{type:${{ type: "string", enum: ["redacted_thinking"] }},id?:s}`

const ToolUseBlock = shape`{type:${{ type: "string", enum: ["tool_use"] }},id:s,name:s,input?:*}`

const ToolResultBlock = shape`{type:${{ type: "string", enum: ["tool_result"] }},toolUseId:s,content?:*,isError?:b,id?:s}`

const DocumentBlock = shape`{type:${{ type: "string", enum: ["document"] }},name?:s,source?:*,id?:s}`

const OtherBlock = shape`{type:${{ type: "string", not: { enum: ["text", "image", "thinking", "redacted_thinking", "tool_use", "tool_result", "document"] } }}}`

const ContentBlock = { anyOf: [TextBlock, ImageBlock, ThinkingBlock, RedactedThinkingBlock, ToolUseBlock, ToolResultBlock, DocumentBlock, OtherBlock] }

const Message = shape`{id:s,role:s,content:[${ContentBlock}],createdAt:n,updatedAt:n,parentId?:s,userMessageSource?:s,visibility?:s,isUserVisible?:b,hiddenFromUserViews?:b,isError?:b,modelId?:s,routerId?:s,reasoningEffort?:s,interactionMode?:s,chatCompletionReasoningField?:s,chatCompletionReasoningContent?:s,parallelGroupId?:s,isParallelExecution?:b,hookEventName?:s,hookMatcher?:s,hookToolCallId?:s,hookCommands?:[{command?:s,timeout?:n}],hookStatus?:s,hookResults?:[{exitCode?:n,stdout?:s,stderr?:s,suppressOutput?:b}],hookStartTime?:n,hookEndTime?:n,providerMessageId?:s,providerPhase?:s,providerEncryptedContent?:s,providerReasoningId?:s,providerReasoningSummary?:s,providerThoughtSignature?:s}`

export const sessions: OperationTree = {
  create: {
    method: "POST",
    path: "/api/v0/sessions",
    neutralNames: { credits: ["sessionSettings.tokenUsage", "sessionSettings.inclusiveTokenUsage", "sessionSettings.childInclusiveTokenUsageBySessionId.*"] },
    hints: same0,
    success: [201],
    retry: "never",
    body: shape`!{computerId:s,cwd?:${{ type: "string", minLength: 1, maxLength: 4096 }},sessionSettings?:${SessionSettingsInput}}`,
    response: Session,
  },
  messages: {
    add: {
      method: "POST",
      path: "/api/v0/sessions/{sessionId}/messages",
      hints: same0,
      retry: "never",
      params: shape`!{sessionId:S}`,
      body: shape`!{text:s,images?:[!{type:${{ type: "string", enum: ["base64"] }},data:s,mediaType?:s}],files?:[!{type:${{ type: "string", enum: ["base64"] }},data:s,mediaType?:s,parsedData?:s,name?:s,path?:s}],computerId?:s}`,
      response: shape`{messageId:s,status:s}`,
    },
    list: {
      method: "GET",
      path: "/api/v0/sessions/{sessionId}/messages",
      neutralNames: { provider: ["messages.*"] },
      hints: same0,
      page: { items: "messages", next: { from: "response", path: "pagination.nextCursor" }, hasMore: "pagination.hasMore", cursor: "cursor", size: "limit", end: "no-cursor" },
      params: shape`!{sessionId:S}`,
      query: shape`!{limit?:${{ type: "integer", minimum: 1, maximum: 100 }},cursor?:s,computerId?:s,role?:${{ type: "string", enum: ["user", "assistant", "tool"] }}}`,
      response: shape`{messages:[${Message}],pagination:{hasMore:b,nextCursor?:s0}}`,
    },
  },
}
