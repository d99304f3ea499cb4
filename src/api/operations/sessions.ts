// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../core/operation.ts'
import { boolean, closed, integer, list, number, open, someText, text, type Shape } from '../validation/shape.ts'

const same1 = { '403': "enabled for selected organizations only" }

const same0 = ["text", "image", "thinking", "redacted_thinking", "tool_use", "tool_result", "document"]

const shared = { model: text, specModeModel: text, runInWorktree: boolean, providerLockTimestamp: text, assistantActiveTimeMs: number, archivedAt: text, enabledToolIds: list(text), disabledToolIds: list(text), compactionModel: text, compactionThresholdCheckEnabled: boolean, reasoningEffort: text, specModeReasoningEffort: text, interactionMode: text, autonomyLevel: text, autonomyMode: text, providerLock: text, apiProviderLock: text }

const SessionSettingsInput: Shape = closed({ ...shared, tags: list(closed({ name: text, metadata: { type: "object" } }, ["name"])), childInclusiveTokenUsageBySessionId: { type: "object" } })

const TokenUsage: Shape = open({ inputTokens: number, outputTokens: number, cacheCreationTokens: number, cacheReadTokens: number, thinkingTokens: number, credits: number })

const SessionSettings: Shape = open({ ...shared, tags: list(open({ name: text, metadata: { type: "object" } }, ["name"])), tokenUsage: TokenUsage, inclusiveTokenUsage: TokenUsage, childInclusiveTokenUsageBySessionId: { type: "object", additionalProperties: TokenUsage } })

const Session: Shape = open({ sessionId: text, status: text, messageCount: integer, createdAt: integer, updatedAt: integer, title: text, completedAt: integer, computerId: text, sessionSettings: SessionSettings }, ["sessionId", "status", "messageCount", "createdAt", "updatedAt"])

const ContentBlock: Shape = { anyOf: [open({ type: { type: "string", enum: same0 }, id: text, text: text, thinking: text, signature: text, durationMs: number, name: text, input: {}, toolUseId: text, content: {}, isError: boolean, source: {} }, ["type"]), open({ type: { type: "string", not: { enum: same0 } } }, ["type"])] }

const Message: Shape = open({ id: text, role: text, content: list(ContentBlock), createdAt: number, updatedAt: number, parentId: text, userMessageSource: text, visibility: text, isUserVisible: boolean, hiddenFromUserViews: boolean, isError: boolean, modelId: text, routerId: text, reasoningEffort: text, interactionMode: text, chatCompletionReasoningField: text, chatCompletionReasoningContent: text, parallelGroupId: text, isParallelExecution: boolean, hookEventName: text, hookMatcher: text, hookToolCallId: text, hookCommands: list(open({ command: text, timeout: number })), hookStatus: text, hookResults: list(open({ exitCode: number, stdout: text, stderr: text, suppressOutput: boolean })), hookStartTime: number, hookEndTime: number, providerMessageId: text, providerPhase: text, providerEncryptedContent: text, providerReasoningId: text, providerReasoningSummary: text, providerThoughtSignature: text }, ["id", "role", "content", "createdAt", "updatedAt"])

export const sessions: OperationTree = {
  create: {
    id: "sessions.create",
    method: "POST",
    path: "/api/v0/sessions",
    host: "base",
    success: [201],
    neutralNames: { credits: ["sessionSettings.tokenUsage", "sessionSettings.inclusiveTokenUsage", "sessionSettings.childInclusiveTokenUsageBySessionId.*"] },
    retry: "never",
    hints: same1,
    body: closed({ computerId: text, cwd: { type: "string", minLength: 1, maxLength: 4096 }, sessionSettings: SessionSettingsInput }, ["computerId"]),
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
      hints: same1,
      params: closed({ sessionId: someText }, ["sessionId"]),
      body: closed({ text: text, images: list(closed({ type: { type: "string", enum: ["base64"] }, data: text, mediaType: text }, ["type", "data"])), files: list(closed({ type: { type: "string", enum: ["base64"] }, data: text, mediaType: text, parsedData: text, name: text, path: text }, ["type", "data"])), computerId: text }, ["text"]),
      response: open({ messageId: text, status: text }, ["messageId", "status"]),
    },
    list: {
      id: "sessions.messages.list",
      method: "GET",
      path: "/api/v0/sessions/{sessionId}/messages",
      host: "base",
      success: [200],
      neutralNames: { provider: ["messages.*"] },
      retry: "safe",
      hints: same1,
      page: { items: "messages", next: { from: "response", path: "pagination.nextCursor" }, hasMore: "pagination.hasMore", cursor: "cursor", size: "limit", end: "no-cursor" },
      params: closed({ sessionId: someText }, ["sessionId"]),
      query: closed({ limit: { type: "integer", minimum: 1, maximum: 100 }, cursor: text, computerId: text, role: { type: "string", enum: ["user", "assistant", "tool"] } }),
      response: open({ messages: list(Message), pagination: open({ hasMore: boolean, nextCursor: { type: ["string", "null"] } }, ["hasMore"]) }, ["messages", "pagination"]),
    },
  },
}
