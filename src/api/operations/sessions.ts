// Written by `npm run gen` from the table in src/api/endpoints/.
import type { OperationTree } from '../operation.ts'

const fields2 = 'name:s,metadata?:o'

const fields1 = 'createdAt,updatedAt'

const fields = 'model?,specModeModel?,providerLockTimestamp?,archivedAt?,compactionModel?,reasoningEffort?,specModeReasoningEffort?,interactionMode?,autonomyLevel?,autonomyMode?,providerLock?,apiProviderLock?:s,runInWorktree?,compactionThresholdCheckEnabled?:b,assistantActiveTimeMs?:n,enabledToolIds?,disabledToolIds?:[s],tags?'

const shared1 = "/api/v0/sessions/{sessionId}/messages"

const shared0 = { '403': "enabled for selected organizations only" }

const TokenUsage = `{inputTokens?,outputTokens?,cacheCreationTokens?,cacheReadTokens?,thinkingTokens?,credits~:n}`

export const sessions: OperationTree = {
  create: {
    method: "POST",
    path: "/api/v0/sessions",
    success: [201],
    hints: shared0,
    body: `!{computerId:s,cwd?:s(1-4096),sessionSettings?:!{${fields}:[!{${fields2}}],childInclusiveTokenUsageBySessionId?:o}}`,
    response: `{sessionId,status,title?,computerId?:s,messageCount,${fields1},completedAt?:i,sessionSettings?:{${fields}:[{${fields2}}],tokenUsage?,inclusiveTokenUsage?:${TokenUsage},childInclusiveTokenUsageBySessionId?:<${TokenUsage}>}}`,
  },
  messages: {
    add: {
      method: "POST",
      path: shared1,
      hints: shared0,
      body: `!{text,computerId?:s,images?:[!{type:(base64),data,mediaType?:s}],files?:[!{type:(base64),data,mediaType?,parsedData?,name?,path?:s}]}`,
      response: `{messageId,status:s}`,
    },
    list: {
      path: shared1,
      hints: shared0,
      page: { items: "messages", next: "pagination.nextCursor", hasMore: "pagination.hasMore", cursor: "cursor" },
      query: `!{limit?:i(1-100),cursor?,computerId?:s,role?:(user|assistant|tool)}`,
      response: `{messages:[{id,role,parentId?,userMessageSource?,visibility?,modelId?,routerId?,reasoningEffort?,interactionMode?,chatCompletionReasoningField?,chatCompletionReasoningContent?,parallelGroupId?,hookEventName?,hookMatcher?,hookToolCallId?,hookStatus?,providerMessageId~,providerPhase~,providerEncryptedContent~,providerReasoningId~,providerReasoningSummary~,providerThoughtSignature~:s,content:[{type:(text),text,id?:s}|{type:(image),id?:s}|{type:(thinking),thinking,signature?,id?:s,durationMs?:n}|{type:(redacted_thinking),id?:s}|{type:(tool_use),id,name:s}|{type:(tool_result),toolUseId,id?:s,isError?:b}|{type:(document),name?,id?:s}|{type:s}],${fields1},hookStartTime?,hookEndTime?:n,isUserVisible?,hiddenFromUserViews?,isError?,isParallelExecution?:b,hookCommands?:[{command?:s,timeout?:n}],hookResults?:[{exitCode?:n,stdout?,stderr?:s,suppressOutput?:b}]}],pagination:{hasMore:b,nextCursor?:s0}}`,
    },
  },
}
