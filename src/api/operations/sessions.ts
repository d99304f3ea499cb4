// Written by `npm run gen` from the table in src/api/endpoints/.
import type { OperationTree } from '../operation.ts'
import { shape } from '../validation/shape.ts'

const fields = 'model?,specModeModel?,providerLockTimestamp?,archivedAt?,compactionModel?,reasoningEffort?,specModeReasoningEffort?,interactionMode?,autonomyLevel?,autonomyMode?,providerLock?,apiProviderLock?:s,runInWorktree?,compactionThresholdCheckEnabled?:b,assistantActiveTimeMs?:n,enabledToolIds?,disabledToolIds?:[s],'

const hints0 = { '403': "enabled for selected organizations only" }

const TokenUsage = shape`{inputTokens?,outputTokens?,cacheCreationTokens?,cacheReadTokens?,thinkingTokens?,credits~:n}`

const Session = shape`{sessionId,status,title?,computerId?:s,messageCount,createdAt,updatedAt,completedAt?:i,sessionSettings?:{${fields}tags?:[{name:s,metadata?:o}],tokenUsage?,inclusiveTokenUsage?:${TokenUsage},childInclusiveTokenUsageBySessionId?:<${TokenUsage}>}}`

const TextBlock = shape`{type:(text),text,id?:s}`

const ImageBlock = shape`{type:(image),source?:*,id?:s}`

const ThinkingBlock = shape`{type:(thinking),thinking,signature?,id?:s,durationMs?:n}`

const RedactedThinkingBlock = shape`{type:(redacted_thinking),id?:s}`

const ToolUseBlock = shape`{type:(tool_use),id,name:s,input?:*}`

const ToolResultBlock = shape`{type:(tool_result),toolUseId,id?:s,content?:*,isError?:b}`

const DocumentBlock = shape`{type:(document),name?,id?:s,source?:*}`

const OtherBlock = shape`{type:^(text|image|thinking|redacted_thinking|tool_use|tool_result|document)}`

const ContentBlock = { anyOf: [TextBlock, ImageBlock, ThinkingBlock, RedactedThinkingBlock, ToolUseBlock, ToolResultBlock, DocumentBlock, OtherBlock] }

export const sessions: OperationTree = {
  create: {
    method: "POST",
    path: "/api/v0/sessions",
    success: [201],
    hints: hints0,
    body: shape`!{computerId:s,cwd?:s(1-4096),sessionSettings?:!{${fields}tags?:[!{name:s,metadata?:o}],childInclusiveTokenUsageBySessionId?:o}}`,
    response: Session,
  },
  messages: {
    add: {
      method: "POST",
      path: "/api/v0/sessions/{sessionId}/messages",
      hints: hints0,
      body: shape`!{text,computerId?:s,images?:[!{type:(base64),data,mediaType?:s}],files?:[!{type:(base64),data,mediaType?,parsedData?,name?,path?:s}]}`,
      response: shape`{messageId,status:s}`,
    },
    list: {
      path: "/api/v0/sessions/{sessionId}/messages",
      hints: hints0,
      page: { items: "messages", next: "pagination.nextCursor", hasMore: "pagination.hasMore", cursor: "cursor" },
      query: shape`!{limit?:i(1-100),cursor?,computerId?:s,role?:(user|assistant|tool)}`,
      response: shape`{messages:[{id,role,parentId?,userMessageSource?,visibility?,modelId?,routerId?,reasoningEffort?,interactionMode?,chatCompletionReasoningField?,chatCompletionReasoningContent?,parallelGroupId?,hookEventName?,hookMatcher?,hookToolCallId?,hookStatus?,providerMessageId~,providerPhase~,providerEncryptedContent~,providerReasoningId~,providerReasoningSummary~,providerThoughtSignature~:s,content:[${ContentBlock}],createdAt,updatedAt,hookStartTime?,hookEndTime?:n,isUserVisible?,hiddenFromUserViews?,isError?,isParallelExecution?:b,hookCommands?:[{command?:s,timeout?:n}],hookResults?:[{exitCode?:n,stdout?,stderr?:s,suppressOutput?:b}]}],pagination:{hasMore:b,nextCursor?:s0}}`,
    },
  },
}
