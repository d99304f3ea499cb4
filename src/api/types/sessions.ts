// Written by `npm run gen` from the table in src/api/endpoints/.
import type { ApiPromise } from '../core/api-promise.ts'
import type { CallOptions } from '../core/options.ts'
import type { PageList } from '../core/page.ts'
import type { Open } from './open.ts'
import type { Session } from './sessions/create-session.ts'
import type { AddMessageResponse } from './sessions/add-message.ts'
import type { ListMessagesResponse, Message } from './sessions/list-messages.ts'

/** Input of `sessions.create`. */
export interface CreateSessionInput {
  /** ID of the computer the session runs on. */
  computerId: string
  /** Working directory, 1 to 4096 characters. @maxLength 4096 */
  cwd?: string | undefined
  /** Settings of the session. */
  sessionSettings?: SessionSettingsInput | undefined
}

export interface SessionSettingsInput {
  /** Model the session works with. */
  model?: string | undefined
  /** Model that writes specifications. */
  specModeModel?: string | undefined
  /** Whether the session works in its own worktree. */
  runInWorktree?: boolean | undefined
  /** When the model provider was fixed. */
  providerLockTimestamp?: string | undefined
  /** How long the assistant was active, in milliseconds. */
  assistantActiveTimeMs?: number | undefined
  /** When the session was archived (ISO time); set only if it is archived. */
  archivedAt?: string | undefined
  /** IDs of tools that are switched on. */
  enabledToolIds?: readonly string[] | undefined
  /** IDs of tools that are switched off. */
  disabledToolIds?: readonly string[] | undefined
  /** Model that compacts the history. */
  compactionModel?: Open<'current-model'> | undefined
  /** Whether the history is compacted at a threshold. */
  compactionThresholdCheckEnabled?: boolean | undefined
  /** How much the model reasons. */
  reasoningEffort?: Open<'none' | 'dynamic' | 'off' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'> | undefined
  /** How much the model reasons in specification mode. */
  specModeReasoningEffort?: Open<'none' | 'dynamic' | 'off' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'> | undefined
  /** How the agent works with the user. */
  interactionMode?: Open<'auto' | 'spec' | 'agi' | 'mission'> | undefined
  /** How much the agent may do without asking. */
  autonomyLevel?: Open<'off' | 'low' | 'medium' | 'high'> | undefined
  /** Older form of interactionMode and autonomyLevel. */
  autonomyMode?: Open<'normal' | 'spec' | 'auto-low' | 'auto-medium' | 'auto-high'> | undefined
  /** Model provider the session is fixed to. */
  providerLock?: string | undefined
  /** API provider the session is fixed to. */
  apiProviderLock?: string | undefined
  /** Tags of the session. */
  tags?: readonly SessionSettingsInputTag[] | undefined
  /** Token usage of child sessions, by session ID. */
  childInclusiveTokenUsageBySessionId?: Record<string, unknown> | undefined
}

export interface SessionSettingsInputTag {
  /** Name of the tag. */
  name: string
  /** Facts that belong to the tag, as names and values. */
  metadata?: Record<string, unknown> | undefined
}

/** Input of `sessions.messages.add`. */
export interface AddMessageInput {
  /** Session ID. */
  sessionId: string
  /** Text of the message. */
  text: string
  /** Images. */
  images?: readonly AddMessageInputImage[] | undefined
  /** Files, such as PDF or text. */
  files?: readonly AddMessageInputFile[] | undefined
  /** ID of the computer; if left out, the computer of the session. */
  computerId?: string | undefined
}

export interface AddMessageInputImage {
  /** How the data is encoded. */
  type: 'base64'
  /** The image, in base64. */
  data: string
  /** Media type, for example image/jpeg. */
  mediaType?: string | undefined
}

export interface AddMessageInputFile {
  /** How the data is encoded. */
  type: 'base64'
  /** The file, in base64. */
  data: string
  /** Media type, for example application/pdf. */
  mediaType?: string | undefined
  /** Text of the file. */
  parsedData?: string | undefined
  /** File name. */
  name?: string | undefined
  /** Path of the file. */
  path?: string | undefined
}

/** Input of `sessions.messages.list`. */
export interface ListMessagesInput {
  /** Session ID. */
  sessionId: string
  /** Messages per page, 1 to 100. @minimum 1 @maximum 100 @default 20 */
  limit?: number | undefined
  /** Cursor from the previous page. */
  cursor?: string | undefined
  /** ID of a computer to read from directly. */
  computerId?: string | undefined
  /** Only messages of this role. */
  role?: 'user' | 'assistant' | 'tool' | undefined
}

/** Part of `sessions`. */
export interface SessionsMessagesApi {
  /**
   * Add a user message to a session.
   *
   * Enabled for selected organizations only.
   *
   * `POST /api/v0/sessions/{sessionId}/messages`
   */
  add(input: AddMessageInput, options?: CallOptions): ApiPromise<AddMessageResponse>
  /**
   * List the messages of a session, page by page.
   *
   * Enabled for selected organizations only. The order is not documented.
   *
   * `GET /api/v0/sessions/{sessionId}/messages`
   */
  list(input: ListMessagesInput, options?: CallOptions): PageList<ListMessagesResponse, Message>
}

/** Sessions of the agent and their messages. */
export interface SessionsApi {
  /**
   * Start a session of the agent on a computer.
   *
   * `POST /api/v0/sessions`
   */
  create(input: CreateSessionInput, options?: CallOptions): ApiPromise<Session>
  readonly messages: SessionsMessagesApi
}
