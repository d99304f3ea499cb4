// Written by `npm run gen` from the table in src/api/endpoints/.
import type { Open, Unlisted } from '../open.ts'

export interface ListMessagesResponse {
  /** Messages of this page. */
  messages: Message[]
  /** How to get the next page. */
  pagination: ListMessagesResponsePagination
}

export interface Message {
  /** Message ID. */
  id: string
  /** Who wrote the message. */
  role: Open<'user' | 'assistant' | 'tool' | 'system'>
  /** What the message says, in blocks. */
  content: ContentBlock[]
  /** When the message was created, in Unix milliseconds. */
  createdAt: number
  /** When the message was last changed, in Unix milliseconds. */
  updatedAt: number
  /** ID of the parent message. */
  parentId?: string
  /** Where a user message came from. */
  userMessageSource?: Open<'web' | 'desktop' | 'cli_tui' | 'cli_exec' | 'cli_acp' | 'slack' | 'linear' | 'sessions_api' | 'api' | 'automation' | 'readiness-remediation' | 'readiness-evaluation' | 'wiki-generation' | 'wiki-ci-setup'>
  /** Who sees the message. */
  visibility?: Open<'both' | 'llm_only' | 'user_only'>
  /** Older form of visibility. */
  isUserVisible?: boolean
  /** Whether users do not see the message. */
  hiddenFromUserViews?: boolean
  /** Whether the message reports an error. */
  isError?: boolean
  /** Model that wrote the message. */
  modelId?: string
  /** Router that chose the model. */
  routerId?: string
  /** How much the model reasoned. */
  reasoningEffort?: Open<'none' | 'dynamic' | 'off' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'>
  /** How the agent worked with the user. */
  interactionMode?: Open<'auto' | 'spec' | 'agi' | 'mission'>
  /** Name of the field in which a chat completion carried its reasoning. */
  chatCompletionReasoningField?: Open<'reasoning' | 'reasoning_content'>
  /** Reasoning of a chat completion. */
  chatCompletionReasoningContent?: string
  /** ID that parallel calls share. */
  parallelGroupId?: string
  /** Whether the call ran in parallel with others. */
  isParallelExecution?: boolean
  /** Event that ran the hook. */
  hookEventName?: string
  /** Matcher of the hook. */
  hookMatcher?: string
  /** ID of the tool call the hook ran for. */
  hookToolCallId?: string
  /** Commands of the hook. */
  hookCommands?: MessageHookCommand[]
  /** State of the hook. */
  hookStatus?: Open<'executing' | 'completed' | 'error'>
  /** Results of the commands. */
  hookResults?: MessageHookResult[]
  /** When the hook started. */
  hookStartTime?: number
  /** When the hook ended. */
  hookEndTime?: number
  /** The message ID of the model provider. */
  providerMessageId?: string
  /** The phase of the answer as the model provider names it. */
  providerPhase?: string
  /** Encrypted reasoning of the model provider. */
  providerEncryptedContent?: string
  /** The reasoning ID of the model provider. */
  providerReasoningId?: string
  /** The reasoning summary of the model provider. */
  providerReasoningSummary?: string
  /** The thought signature of the model provider. */
  providerThoughtSignature?: string
}

export type ContentBlock =
  | TextBlock
  | ImageBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | DocumentBlock
  | OtherBlock

export interface TextBlock {
  /** Type of the block. */
  type: 'text'
  /** The text. */
  text: string
  /** ID of the block. */
  id?: string
}

export interface ImageBlock {
  /** Type of the block. */
  type: 'image'
  /** The data, and how it is encoded. */
  source?: unknown
  /** ID of the block. */
  id?: string
}

export interface ThinkingBlock {
  /** Type of the block. */
  type: 'thinking'
  /** What the model thought. */
  thinking: string
  /** Signature of the model provider. */
  signature?: string
  /** How long it took, in milliseconds. */
  durationMs?: number
  /** ID of the block. */
  id?: string
}

export interface RedactedThinkingBlock {
  /** Type of the block. */
  type: 'redacted_thinking'
  /** ID of the block. */
  id?: string
}

export interface ToolUseBlock {
  /** Type of the block. */
  type: 'tool_use'
  /** ID of the tool call. */
  id: string
  /** Name of the tool. */
  name: string
  /** Input of the tool. */
  input?: unknown
}

export interface ToolResultBlock {
  /** Type of the block. */
  type: 'tool_result'
  /** ID of the tool call that returned this result. */
  toolUseId: string
  /** Text, or a list of blocks. */
  content?: unknown
  /** Whether the tool failed. */
  isError?: boolean
  /** ID of the block. */
  id?: string
}

export interface DocumentBlock {
  /** Type of the block. */
  type: 'document'
  /** File name. */
  name?: string
  /** The data, and how it is encoded. */
  source?: unknown
  /** ID of the block. */
  id?: string
}

export interface OtherBlock {
  /** A type that this version does not know. */
  type: Unlisted
}

export interface MessageHookCommand {
  /** Command line. */
  command?: string
  /** Time limit in seconds. */
  timeout?: number
}

export interface MessageHookResult {
  /** Exit code of the command. */
  exitCode?: number
  /** Standard output of the command. */
  stdout?: string
  /** Standard error of the command. */
  stderr?: string
  /** Whether the output is hidden. */
  suppressOutput?: boolean
}

/** How to get the next page. */
export interface ListMessagesResponsePagination {
  /** Whether there are more messages. */
  hasMore: boolean
  /** Cursor of the next page. */
  nextCursor?: string | null
}
