// Written by `npm run gen` from the table in src/api/endpoints/.
import type { Open } from '../open.ts'

export interface Session {
  /** Session ID. */
  sessionId: string
  /** Current execution status. */
  status: Open<'idle' | 'pending' | 'running'>
  /** How many messages there are. */
  messageCount: number
  /** When the session was created, in Unix milliseconds. */
  createdAt: number
  /** When the session was last changed, in Unix milliseconds. */
  updatedAt: number
  /** Session title. */
  title?: string
  /** When the session completed, in Unix milliseconds. */
  completedAt?: number
  /** ID of the connected computer. */
  computerId?: string
  /** Settings of the session. */
  sessionSettings?: SessionSettings
}

export interface SessionSettings {
  /** Model the session works with. */
  model?: string
  /** Model that writes specifications. */
  specModeModel?: string
  /** Whether the session works in its own worktree. */
  runInWorktree?: boolean
  /** When the model provider was fixed. */
  providerLockTimestamp?: string
  /** How long the assistant was active, in milliseconds. */
  assistantActiveTimeMs?: number
  /** When the session was archived (ISO time); set only if it is archived. */
  archivedAt?: string
  /** IDs of tools that are switched on. */
  enabledToolIds?: string[]
  /** IDs of tools that are switched off. */
  disabledToolIds?: string[]
  /** Model that compacts the history. */
  compactionModel?: Open<'current-model'>
  /** Whether the history is compacted at a threshold. */
  compactionThresholdCheckEnabled?: boolean
  /** How much the model reasons. */
  reasoningEffort?: Open<'none' | 'dynamic' | 'off' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'>
  /** How much the model reasons in specification mode. */
  specModeReasoningEffort?: Open<'none' | 'dynamic' | 'off' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'>
  /** How the agent works with the user. */
  interactionMode?: Open<'auto' | 'spec' | 'agi' | 'mission'>
  /** How much the agent may do without asking. */
  autonomyLevel?: Open<'off' | 'low' | 'medium' | 'high'>
  /** Older form of interactionMode and autonomyLevel. */
  autonomyMode?: Open<'normal' | 'spec' | 'auto-low' | 'auto-medium' | 'auto-high'>
  /** Model provider the session is fixed to. */
  providerLock?: string
  /** API provider the session is fixed to. */
  apiProviderLock?: string
  /** Tags of the session. */
  tags?: SessionSettingsTag[]
  /** Token usage of the session. */
  tokenUsage?: TokenUsage
  /** Token usage including child sessions. */
  inclusiveTokenUsage?: TokenUsage
  /** Token usage of child sessions, by session ID. */
  childInclusiveTokenUsageBySessionId?: Record<string, TokenUsage>
}

export interface SessionSettingsTag {
  /** Name of the tag. */
  name: string
  /** Facts that belong to the tag, as names and values. */
  metadata?: Record<string, unknown>
}

export interface TokenUsage {
  /** Tokens sent to the model. */
  inputTokens?: number
  /** Tokens written by the model. */
  outputTokens?: number
  /** Tokens written to the prompt cache. */
  cacheCreationTokens?: number
  /** Tokens read from the prompt cache. */
  cacheReadTokens?: number
  /** Tokens spent on thinking. */
  thinkingTokens?: number
  /** Credits used; copied from the field that is named after the service. */
  credits?: number
}
