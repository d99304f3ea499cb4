// Written by `npm run gen` from the table in src/api/endpoints/.
import type { ApiPromise } from './core/api-promise.ts'
import type { CallOptions } from './core/options.ts'
import type { PageList } from './core/page.ts'

export type { EndpointId } from './operations.ts'

/** The methods of a client, one for each endpoint. */
export interface EndpointMethods {
  /** Keys of service accounts. */
  readonly serviceAccounts: ServiceAccountsApi
  /** Credit limits and users of the organization. */
  readonly organization: OrganizationApi
  /** Sessions of the agent and their messages. */
  readonly sessions: SessionsApi
  /** Computers that sessions run on. */
  readonly computers: ComputersApi
  /** Repositories and CI workflows. */
  readonly automations: AutomationsApi
  /** Wiki runs. */
  readonly wiki: WikiApi
  /** Usage and activity of the organization, by day. */
  readonly analytics: AnalyticsApi
  /** Agent-readiness reports. */
  readonly readiness: ReadinessApi
  /** From the public documentation, not the specification: may change. */
  readonly beyond: BeyondApi
}

/** Part of `serviceAccounts`. */
export interface ServiceAccountsKeysApi {
  /**
   * Replace a key by a new one that takes over its name.
   *
   * Without a grace period the old key stops working at once. Only this response shows the new key.
   *
   * `POST /api/v0/service-accounts/{serviceAccountId}/api-keys/{keyId}/rotate`
   */
  rotate(input: RotateKeyInput, options?: CallOptions): ApiPromise<RotateKeyResponse>
}

/** Keys of service accounts. */
export interface ServiceAccountsApi {
  readonly keys: ServiceAccountsKeysApi
}

/** Part of `organization`. */
export interface OrganizationLimitsApi {
  /**
   * Read the credit limit of users who have none of their own.
   *
   * It applies to every user without a limit of their own. Null means that there is none.
   *
   * `GET /api/v0/organization/usage/limits/global`
   */
  getGlobal(input?: NoInput, options?: CallOptions): ApiPromise<GlobalLimit>
  /**
   * Set or remove the credit limit of users who have none of their own.
   *
   * The response has the limit that is now set.
   *
   * `PUT /api/v0/organization/usage/limits/global`
   */
  setGlobal(input: SetGlobalLimitInput, options?: CallOptions): ApiPromise<GlobalLimit>
  /**
   * Set the credit limits of single users; some may fail while the others are applied.
   *
   * Check `errors` in the response: it lists the entries that failed.
   *
   * `PUT /api/v0/organization/usage/limits/users`
   */
  setUsers(input: SetUserLimitsInput, options?: CallOptions): ApiPromise<SetUserLimitsResponse>
}

/** Part of `organization`. */
export interface OrganizationUsersApi {
  /**
   * Remove a member, or a user who is only invited.
   *
   * The membership is deleted, or the invitation is revoked.
   *
   * `DELETE /api/v0/organization/users`
   */
  remove(input: RemoveUserInput, options?: CallOptions): ApiPromise<RemoveUserResponse>
}

/** Credit limits and users of the organization. */
export interface OrganizationApi {
  readonly limits: OrganizationLimitsApi
  readonly users: OrganizationUsersApi
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
   * The session works on a computer that is active. Messages are added to it afterwards.
   *
   * `POST /api/v0/sessions`
   */
  create(input: CreateSessionInput, options?: CallOptions): ApiPromise<Session>
  readonly messages: SessionsMessagesApi
}

/** Computers that sessions run on. */
export interface ComputersApi {
  /**
   * Get a computer by its name.
   *
   * A name belongs to one computer at a time.
   *
   * `GET /api/v0/computers/name/{name}`
   */
  getByName(input: GetComputerByNameInput, options?: CallOptions): ApiPromise<Computer>
  /**
   * Get a computer by its ID.
   *
   * Only computers that the key may use.
   *
   * `GET /api/v0/computers/{computerId}`
   */
  get(input: GetComputerInput, options?: CallOptions): ApiPromise<Computer>
  /**
   * Configure credentials and environment of a computer again.
   *
   * Currently this sets up git credentials for each connected code host.
   *
   * `POST /api/v0/computers/{computerId}/refresh`
   */
  refresh(input: RefreshComputerInput, options?: CallOptions): ApiPromise<RefreshComputerResponse>
  /**
   * Delete a computer for good.
   *
   * Revokes the API key of the computer, archives its sessions and tears down a managed machine. Cannot be undone.
   *
   * `DELETE /api/v0/computers/{computerId}`
   */
  delete(input: DeleteComputerInput, options?: CallOptions): ApiPromise<DeleteComputerResponse>
}

/** Part of `automations`. */
export interface AutomationsCiApi {
  /**
   * List repositories that can have CI automations.
   *
   * The query is not documented: your input is sent unchanged. Neither is the response.
   *
   * `GET /api/v0/automations/ci/repositories`
   */
  repositories(input?: ListCiRepositoriesInput, options?: CallOptions): ApiPromise<unknown>
  /**
   * Look for CI workflows in the repositories.
   *
   * The query is not documented: your input is sent unchanged. Neither is the response.
   *
   * `GET /api/v0/automations/ci/scan`
   */
  scan(input?: ScanCiInput, options?: CallOptions): ApiPromise<unknown>
}

/** Repositories and CI workflows. */
export interface AutomationsApi {
  readonly ci: AutomationsCiApi
}

/** Wiki runs. */
export interface WikiApi {
  /**
   * Create a wiki run.
   *
   * The body is not documented: your input is sent unchanged.
   *
   * `POST /api/v0/wiki`
   */
  create(input?: CreateWikiRunInput, options?: CallOptions): ApiPromise<unknown>
  /**
   * Get a wiki run.
   *
   * The query is not documented: your input is sent unchanged. Neither is the response.
   *
   * `GET /api/v0/wiki/{wikiRunId}`
   */
  get(input: GetWikiRunInput, options?: CallOptions): ApiPromise<unknown>
  /**
   * Search a wiki run.
   *
   * The query is not documented: your input is sent unchanged.
   *
   * `GET /api/v0/wiki/{wikiRunId}/search`
   */
  search(input: SearchWikiRunInput, options?: CallOptions): ApiPromise<unknown>
  /**
   * Set the privacy of a wiki run.
   *
   * The body and the levels are not documented: your input is sent unchanged.
   *
   * `POST /api/v0/wiki/{wikiRunId}/privacy`
   */
  setPrivacy(input: SetWikiPrivacyInput, options?: CallOptions): ApiPromise<unknown>
}

/** Usage and activity of the organization, by day. */
export interface AnalyticsApi {
  /**
   * Credits and tokens used, by day.
   *
   * Credits are computed from raw input and output tokens, with discounts for cached ones. Grouped rows have a `group_key`.
   *
   * `GET /api/v1/analytics/tokens`
   */
  tokens(input: TokenUsageInput, options?: CallOptions): ApiPromise<TokenUsageResponse>
  /**
   * Credits and tokens used, by day. Grouped: one row per value of the dimension and day.
   *
   * Credits are computed from raw input and output tokens, with discounts for cached ones. Grouped rows have a `group_key`.
   *
   * `GET /api/v1/analytics/tokens`
   */
  tokens(input: GroupedTokenUsageInput, options?: CallOptions): ApiPromise<GroupedTokenUsageResponse>
  /**
   * Credits and tokens used, by day.
   *
   * Credits are computed from raw input and output tokens, with discounts for cached ones. Grouped rows have a `group_key`.
   *
   * `GET /api/v1/analytics/tokens`
   */
  tokens(input: TokenUsageInput | GroupedTokenUsageInput, options?: CallOptions): ApiPromise<TokenUsageResponse | GroupedTokenUsageResponse>
  /**
   * Tool calls, MCP servers, skills, commands and hooks, by day.
   *
   * Grouped rows have the calls of one tool only.
   *
   * `GET /api/v1/analytics/tools`
   */
  tools(input: ToolUsageInput, options?: CallOptions): ApiPromise<ToolUsageResponse>
  /**
   * Tool calls, MCP servers, skills, commands and hooks, by day. Grouped: one row per value of the dimension and day.
   *
   * Grouped rows have the calls of one tool only.
   *
   * `GET /api/v1/analytics/tools`
   */
  tools(input: GroupedToolUsageInput, options?: CallOptions): ApiPromise<GroupedToolUsageResponse>
  /**
   * Tool calls, MCP servers, skills, commands and hooks, by day.
   *
   * Grouped rows have the calls of one tool only.
   *
   * `GET /api/v1/analytics/tools`
   */
  tools(input: ToolUsageInput | GroupedToolUsageInput, options?: CallOptions): ApiPromise<ToolUsageResponse | GroupedToolUsageResponse>
  /**
   * Active users, sessions and messages, by day.
   *
   * Users active in 7 and 30 days are counted up to the day. Grouped rows have the users of one client only.
   *
   * `GET /api/v1/analytics/activity`
   */
  activity(input: ActivityInput, options?: CallOptions): ApiPromise<ActivityResponse>
  /**
   * Active users, sessions and messages, by day. Grouped: one row per value of the dimension and day.
   *
   * Users active in 7 and 30 days are counted up to the day. Grouped rows have the users of one client only.
   *
   * `GET /api/v1/analytics/activity`
   */
  activity(input: GroupedActivityInput, options?: CallOptions): ApiPromise<GroupedActivityResponse>
  /**
   * Active users, sessions and messages, by day.
   *
   * Users active in 7 and 30 days are counted up to the day. Grouped rows have the users of one client only.
   *
   * `GET /api/v1/analytics/activity`
   */
  activity(input: ActivityInput | GroupedActivityInput, options?: CallOptions): ApiPromise<ActivityResponse | GroupedActivityResponse>
  /**
   * Files, commits and pull requests, by day.
   *
   * Files are counted by extension and by language.
   *
   * `GET /api/v1/analytics/productivity`
   */
  productivity(input: ProductivityInput, options?: CallOptions): ApiPromise<ProductivityResponse>
  /**
   * What each user did, by day, page by page.
   *
   * The cursor is the ID of the last user of a page.
   *
   * `GET /api/v1/analytics/users`
   */
  users(input: UserActivityInput, options?: CallOptions): PageList<UserActivityResponse, UserActivityRow>
}

/** Agent-readiness reports. */
export interface ReadinessApi {
  /**
   * List the agent-readiness reports of the organization.
   *
   * The application serves it, not the API. The last `reportId` of a page is the cursor of the next one.
   *
   * `GET /api/organization/maturity-level-reports`
   */
  reports(input?: ListReadinessReportsInput, options?: CallOptions): PageList<ListReadinessReportsResponse, ReadinessReport>
}

/** Part of `beyond`. */
export interface BeyondSessionsApi {
  /**
   * List your sessions, page by page.
   *
   * The order is not documented.
   *
   * `GET /api/v0/sessions` (public documentation: list-sessions.md)
   */
  list(input?: ListSessionsInput, options?: CallOptions): PageList<ListSessionsResponse, Session>
  /**
   * Get a session with its settings.
   *
   * Its status says whether the agent works on it.
   *
   * `GET /api/v0/sessions/{sessionId}` (public documentation: sessions.md)
   */
  get(input: GetSessionInput, options?: CallOptions): ApiPromise<Session>
  /**
   * Change the settings of a session.
   *
   * With `archivedAt`, an ISO time, the session is archived.
   *
   * `PATCH /api/v0/sessions/{sessionId}` (public documentation: update-a-session.md)
   */
  update(input: UpdateSessionInput, options?: CallOptions): ApiPromise<unknown>
  /**
   * Delete a session.
   *
   * From an older page of the documentation.
   *
   * `DELETE /api/v0/sessions/{sessionId}` (public documentation: delete-a-session.md)
   */
  delete(input: DeleteSessionInput, options?: CallOptions): ApiPromise<DeleteSessionResponse>
  /**
   * Stop the agent of a session.
   *
   * Does nothing if the session is idle.
   *
   * `POST /api/v0/sessions/{sessionId}/interrupt` (public documentation: interrupt-a-session.md)
   */
  interrupt(input: InterruptSessionInput, options?: CallOptions): ApiPromise<InterruptSessionResponse>
  /**
   * Get a single message of a session.
   *
   * Its ID is in the response to an added message, and in the history.
   *
   * `GET /api/v0/sessions/{sessionId}/messages/{messageId}` (public documentation: get-a-message-by-id.md)
   */
  message(input: GetMessageInput, options?: CallOptions): ApiPromise<Message>
}

/** Part of `beyond`. */
export interface BeyondComputersApi {
  /**
   * List your computers, newest first.
   *
   * Steps of their set-up only with `includeProvisioningSteps`.
   *
   * `GET /api/v0/computers` (public documentation: list-computers.md)
   */
  list(input?: ListComputersInput, options?: CallOptions): ApiPromise<ListComputersResponse>
  /**
   * Resume a managed computer that is paused.
   *
   * Only for computers of a managed provider.
   *
   * `POST /api/v0/computers/{computerId}/restart` (public documentation: restart-a-managed-computer.md)
   */
  restart(input: RestartComputerInput, options?: CallOptions): ApiPromise<RestartComputerResponse>
}

/** Part of `beyond`. */
export interface BeyondUsersApi {
  /**
   * List the users of the organization, page by page.
   *
   * The forms of the times are not documented.
   *
   * `GET /api/v0/organization/users` (public documentation: list-organization-users.md)
   */
  list(input?: ListUsersInput, options?: CallOptions): PageList<ListUsersResponse, ListUsersResponseUser>
  /**
   * Invite a user, or change the role of a member.
   *
   * Check `status` in the response: it says what was done.
   *
   * `POST /api/v0/organization/users/invite` (public documentation: invite-or-update-a-user.md)
   */
  invite(input: InviteUserInput, options?: CallOptions): ApiPromise<InviteUserResponse>
  /**
   * Read the credit limits of users who have one of their own.
   *
   * Also the limit that applies to all others.
   *
   * `GET /api/v0/organization/usage/limits/users` (public documentation: get-user-credits-limits.md)
   */
  limits(input?: NoInput, options?: CallOptions): ApiPromise<GetUserLimitsResponse>
}

/** Part of `beyond`. */
export interface BeyondKeysApi {
  /**
   * List the keys of a service account.
   *
   * Without their values. The form of the list is not documented.
   *
   * `GET /api/v0/service-accounts/{serviceAccountId}/api-keys` (public documentation: service-accounts.md)
   */
  list(input: ListKeysInput, options?: CallOptions): ApiPromise<unknown>
  /**
   * Revoke a key of a service account.
   *
   * A second time changes nothing.
   *
   * `POST /api/v0/service-accounts/{serviceAccountId}/api-keys/{keyId}/revoke` (public documentation: service-accounts.md)
   */
  revoke(input: RevokeKeyInput, options?: CallOptions): ApiPromise<RevokeKeyResponse>
}

/** From the public documentation, not the specification: may change. */
export interface BeyondApi {
  readonly sessions: BeyondSessionsApi
  readonly computers: BeyondComputersApi
  readonly users: BeyondUsersApi
  readonly keys: BeyondKeysApi
}

/** Input of `serviceAccounts.keys.rotate`. */
export interface RotateKeyInput {
  /** Service account ID. */
  serviceAccountId: string
  /** ID of the key to rotate. */
  keyId: string
  /** When the new key expires; presumably Unix milliseconds, as in the response. @exclusiveMinimum 0 */
  expiresAt?: number | undefined
  /** Minutes for which the old key still works, 0 to 10; none if left out. @minimum 0 @maximum 10 */
  gracePeriodMinutes?: number | undefined
}

/** Input of `organization.limits.setGlobal`. */
export interface SetGlobalLimitInput {
  /** Credits per user, at least 1000000; null removes the limit. @minimum 1000000 */
  limit: number | null
}

/** Input of `organization.limits.setUsers`. */
export interface SetUserLimitsInput {
  /** Users and their limits, 1 to 100 entries. @minItems 1 @maxItems 100 */
  users: readonly SetUserLimitsInputUser[]
}

export interface SetUserLimitsInputUser {
  /** E-mail address of the user. */
  email: string
  /** Credits; null removes the limit of this user. */
  limit: number | null
}

/** Input of `organization.users.remove`. */
export interface RemoveUserInput {
  /** E-mail address of the user. @format email */
  email: string
}

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

/** Input of `computers.getByName`. */
export interface GetComputerByNameInput {
  /** Name of the computer, 1 to 63 characters. @maxLength 63 */
  name: string
}

/** Input of `computers.get`. */
export interface GetComputerInput {
  /** Computer ID. */
  computerId: string
}

/** Input of `computers.refresh`. */
export interface RefreshComputerInput {
  /** Computer ID. */
  computerId: string
}

/** Input of `computers.delete`. */
export interface DeleteComputerInput {
  /** Computer ID. */
  computerId: string
}

/** Input of `automations.ci.repositories`. */
export interface ListCiRepositoriesInput {
  /** Undocumented inputs are sent unchanged. */
  [name: string]: unknown
}

/** Input of `automations.ci.scan`. */
export interface ScanCiInput {
  /** Undocumented inputs are sent unchanged. */
  [name: string]: unknown
}

/** Input of `wiki.create`. */
export interface CreateWikiRunInput {
  /** Undocumented inputs are sent unchanged. */
  [name: string]: unknown
}

/** Input of `wiki.get`. */
export interface GetWikiRunInput {
  /** Wiki run ID. */
  wikiRunId: string
  /** Undocumented inputs are sent unchanged. */
  [name: string]: unknown
}

/** Input of `wiki.search`. */
export interface SearchWikiRunInput {
  /** Wiki run ID. */
  wikiRunId: string
  /** Undocumented inputs are sent unchanged. */
  [name: string]: unknown
}

/** Input of `wiki.setPrivacy`. */
export interface SetWikiPrivacyInput {
  /** Wiki run ID. */
  wikiRunId: string
  /** Undocumented inputs are sent unchanged. */
  [name: string]: unknown
}

/** Input of `analytics.tokens`. */
export interface TokenUsageInput {
  /** First day, YYYY-MM-DD in UTC. @format date */
  startDate: string
  /** Last day, YYYY-MM-DD in UTC. @format date */
  endDate: string
  /** If left out, the rows are not grouped. */
  groupBy?: undefined
}

/** Input of `analytics.tokens`. With groups. */
export interface GroupedTokenUsageInput {
  /** First day, YYYY-MM-DD in UTC. @format date */
  startDate: string
  /** Last day, YYYY-MM-DD in UTC. @format date */
  endDate: string
  /** One row per value of this dimension and day. */
  groupBy: 'model'
}

/** Input of `analytics.tools`. */
export interface ToolUsageInput {
  /** First day, YYYY-MM-DD in UTC. @format date */
  startDate: string
  /** Last day, YYYY-MM-DD in UTC. @format date */
  endDate: string
  /** If left out, the rows are not grouped. */
  groupBy?: undefined
}

/** Input of `analytics.tools`. With groups. */
export interface GroupedToolUsageInput {
  /** First day, YYYY-MM-DD in UTC. @format date */
  startDate: string
  /** Last day, YYYY-MM-DD in UTC. @format date */
  endDate: string
  /** One row per value of this dimension and day. */
  groupBy: 'tool_name'
}

/** Input of `analytics.activity`. */
export interface ActivityInput {
  /** First day, YYYY-MM-DD in UTC. @format date */
  startDate: string
  /** Last day, YYYY-MM-DD in UTC. @format date */
  endDate: string
  /** If left out, the rows are not grouped. */
  groupBy?: undefined
}

/** Input of `analytics.activity`. With groups. */
export interface GroupedActivityInput {
  /** First day, YYYY-MM-DD in UTC. @format date */
  startDate: string
  /** Last day, YYYY-MM-DD in UTC. @format date */
  endDate: string
  /** One row per value of this dimension and day. */
  groupBy: 'client'
}

/** Input of `analytics.productivity`. */
export interface ProductivityInput {
  /** First day, YYYY-MM-DD in UTC. @format date */
  startDate: string
  /** Last day, YYYY-MM-DD in UTC. @format date */
  endDate: string
}

/** Input of `analytics.users`. */
export interface UserActivityInput {
  /** First day, YYYY-MM-DD in UTC. @format date */
  startDate: string
  /** Last day, YYYY-MM-DD in UTC. @format date */
  endDate: string
  /** Page size, 1 to 100. @minimum 1 @maximum 100 @default 20 */
  limit?: number | undefined
  /** Cursor from the previous page: a user ID. */
  cursor?: string | undefined
}

/** Input of `readiness.reports`. */
export interface ListReadinessReportsInput {
  /** Only reports of the repository with this ID. */
  repoId?: string | undefined
  /** Reports per page. @exclusiveMinimum 0 */
  limit?: number | undefined
  /** The last reportId of the previous page. */
  startAfter?: string | undefined
}

/** Input of `beyond.sessions.list`. */
export interface ListSessionsInput {
  /** Items per page, 1 to 100. @minimum 1 @maximum 100 */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** ID of the computer. */
  computerId?: string | undefined
}

/** Input of `beyond.sessions.get`. */
export interface GetSessionInput {
  /** Session ID. */
  sessionId: string
  /** ID of the computer. */
  computerId?: string | undefined
}

/** Input of `beyond.sessions.update`. */
export interface UpdateSessionInput {
  /** Session ID. */
  sessionId: string
  /** Settings to change. */
  sessionSettings: SessionSettingsInput
}

/** Input of `beyond.sessions.delete`. */
export interface DeleteSessionInput {
  /** Session ID. */
  sessionId: string
}

/** Input of `beyond.sessions.interrupt`. */
export interface InterruptSessionInput {
  /** Session ID. */
  sessionId: string
}

/** Input of `beyond.sessions.message`. */
export interface GetMessageInput {
  /** Session ID. */
  sessionId: string
  /** Message ID. */
  messageId: string
  /** ID of the computer. */
  computerId?: string | undefined
}

/** Input of `beyond.computers.list`. */
export interface ListComputersInput {
  /** ID of the host. @format uuid */
  hostId?: string | undefined
  /** Whether to include the steps. */
  includeProvisioningSteps?: 'true' | 'false' | undefined
}

/** Input of `beyond.computers.restart`. */
export interface RestartComputerInput {
  /** Computer ID. */
  computerId: string
}

/** Input of `beyond.users.list`. */
export interface ListUsersInput {
  /** Items per page, 1 to 100. @minimum 1 @maximum 100 */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** Input of `beyond.users.invite`. */
export interface InviteUserInput {
  /** E-mail address of the user. @format email */
  email: string
  /** Role; `user` if left out. */
  role?: 'user' | 'manager' | 'owner' | undefined
}

/** Input of `beyond.keys.list`. */
export interface ListKeysInput {
  /** Service account ID. */
  serviceAccountId: string
}

/** Input of `beyond.keys.revoke`. */
export interface RevokeKeyInput {
  /** Service account ID. */
  serviceAccountId: string
  /** ID of the key. */
  keyId: string
}

export interface RotateKeyResponse {
  /** The replacement. */
  apiKey: ApiKey
}

export interface ApiKey {
  /** API key ID. */
  id: string
  /** The key itself, shown only in this response. */
  value: string
  /** End of the key, for display; the key cannot be derived from it. */
  fingerprint: string
  /** Name, taken over from the old key. */
  name: string
  /** When the key expires, in Unix milliseconds. */
  expiresAt?: number
}

export interface GlobalLimit {
  /** Credits per user; null if there is no limit. @minimum 0 */
  limit: number | null
}

export interface SetUserLimitsResponse {
  /** Limits that were set. */
  updated: SetUserLimitsResponseUpdated[]
  /** Entries that failed. */
  errors: SetUserLimitsResponseError[]
}

export interface SetUserLimitsResponseUpdated {
  /** E-mail address of the user. */
  email: string
  /** Credits; null if the limit was removed. */
  limit: number | null
}

export interface SetUserLimitsResponseError {
  /** E-mail address of the user. */
  email: string
  /** Why the limit was not set. */
  error: string
}

export interface RemoveUserResponse {
  /** Set if the first response was lost and a retry found nothing left to delete. */
  replayed?: true
}

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

export interface AddMessageResponse {
  /** ID of the new message. */
  messageId: string
  /** Execution status of the session. */
  status: Open<'idle' | 'pending' | 'running'>
}

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

export interface Computer {
  /** Computer ID. */
  id: string
  /** Name of the computer. @maxLength 63 */
  name: string
  /** Own machine, or a managed provider. */
  providerType: Open<'byom' | 'e2b'>
  /** When the computer was created. */
  createdAt: number
  /** ID of the host. @format uuid */
  hostId?: string
  /** State of the computer. */
  status?: Open<'provisioning' | 'active' | 'error'>
  /** Steps by which the computer is set up. */
  provisioningSteps?: ComputerProvisioningStep[]
  /** Relay URL for clients. */
  relayClientUrl?: string
  /** Relay URL for the agent. */
  relayAgentUrl?: string
  /** User name on the computer. */
  remoteUser?: string
  /** Directories of cloned repositories. */
  clonedRepoDirectories?: string[]
  /** Kind of owner. */
  ownerPrincipalKind?: string
  /** ID of the owner. */
  ownerId?: string
  /** What the computer was made from. */
  computerSource?: ComputerComputerSource | OtherComputerComputerSource
  /** When the computer was deleted, if it was. */
  deletedAt?: unknown
}

export interface ComputerProvisioningStep {
  /** ID of the step. */
  id?: string
  /** Name of the step. */
  name?: string
  /** State of the step. */
  status?: string
  /** Why the step failed. */
  error?: string
  /** When the step started. */
  startedAt?: number
  /** When the step was completed. */
  completedAt?: number
  /** ID of the session that installs. */
  installSessionId?: string
}

export interface ComputerComputerSource {
  /** The computer was made from a template. */
  kind: 'template'
  /** ID of the template. */
  templateId: string
}

export interface OtherComputerComputerSource {
  /** Any other kind. */
  kind?: Unlisted
}

export interface RefreshComputerResponse {
  /** How many integrations were configured. */
  configured: number
}

export interface DeleteComputerResponse {
  /** Set if the first response was lost and a retry found nothing left to delete. */
  replayed?: true
}

export interface TokenUsageResponse {
  /** One row per day, or per group or user and day. */
  data: TokenUsageRow[]
  /** Organization and period of the rows. */
  meta: AnalyticsMeta
}

export interface TokenUsageRow {
  /** Day, YYYY-MM-DD in UTC. */
  date: string
  /** Credits used, with cache discounts. */
  billable_tokens: number
  /** Tokens sent to models. */
  input_tokens?: number
  /** Tokens written by models. */
  output_tokens?: number
  /** Tokens read from prompt caches. */
  cache_read_tokens?: number
  /** Tokens written to prompt caches. */
  cache_write_tokens?: number
  /** The same counts by model. */
  by_model?: unknown[]
  /** The same counts by user. */
  by_user?: unknown[]
}

export interface AnalyticsMeta {
  /** Organization ID. */
  org_id: string
  /** First day, YYYY-MM-DD in UTC. */
  start_date: string
  /** Last day, YYYY-MM-DD in UTC. */
  end_date: string
}

export interface GroupedTokenUsageResponse {
  /** One row per day, or per group or user and day. */
  data: GroupedTokenUsageRow[]
  /** Organization and period of the rows. */
  meta: AnalyticsMeta
}

export interface GroupedTokenUsageRow {
  /** Day, YYYY-MM-DD in UTC. */
  date: string
  /** Value of the grouped dimension. */
  group_key: string
  /** Credits used, with cache discounts. */
  billable_tokens?: number
  /** Tokens sent to models. */
  input_tokens?: number
  /** Tokens written by models. */
  output_tokens?: number
  /** Tokens read from prompt caches. */
  cache_read_tokens?: number
  /** Tokens written to prompt caches. */
  cache_write_tokens?: number
}

export interface ToolUsageResponse {
  /** One row per day, or per group or user and day. */
  data: ToolUsageRow[]
  /** Organization and period of the rows. */
  meta: AnalyticsMeta
}

export interface ToolUsageRow {
  /** Day, YYYY-MM-DD in UTC. */
  date: string
  /** Tool calls. */
  tool_calls: number
  /** Tool calls by tool. */
  by_tool?: ToolUsageRowByTool[]
  /** Users who used an MCP server. */
  mcp_users_with_mcp?: number
  /** Calls by MCP server. */
  mcp_by_server?: ToolUsageRowMcpByServer[]
  /** Skills used. */
  skills_invocations?: number
  /** Skills used, by name. */
  skills_by_name?: ToolUsageRowSkillsByName[]
  /** Slash commands used. */
  slash_commands_invocations?: number
  /** Slash commands used, by name. */
  slash_commands_by_name?: ToolUsageRowSlashCommandsByName[]
  /** Hooks run. */
  hooks_invocations?: number
  /** Hooks run, by event. */
  hooks_by_event?: ToolUsageRowHooksByEvent[]
  /** Users who used the web. */
  web_users?: number
  /** Tool calls per user turn, average. */
  autonomy_ratio_avg?: number
  /** Tool calls per user turn, median. */
  autonomy_ratio_p50?: number
  /** Tool calls per user turn, 90th percentile. */
  autonomy_ratio_p90?: number
  /** Tool calls per session, average. */
  tool_calls_per_session_avg?: number
  /** User turns per session, average. */
  user_turns_per_session_avg?: number
  /** Tool calls by autonomy level. */
  tool_autonomy_level_ratio?: ToolUsageRowToolAutonomyLevelRatio
}

export interface ToolUsageRowByTool {
  /** Tool. */
  tool: string
  /** How often it was used. */
  invocations: number
}

export interface ToolUsageRowMcpByServer {
  /** MCP server. */
  server: string
  /** How often it was used. */
  invocations: number
}

export interface ToolUsageRowSkillsByName {
  /** Name. */
  name: string
  /** How often it was used. */
  count: number
}

export interface ToolUsageRowSlashCommandsByName {
  /** Name. */
  name: string
  /** How often it was used. */
  count: number
}

export interface ToolUsageRowHooksByEvent {
  /** Hook event. */
  event: string
  /** Matcher of the hook. */
  matcher?: string
  /** Command of the hook. */
  command?: string
  /** How often it was used. */
  count: number
}

/** Tool calls by autonomy level. */
export interface ToolUsageRowToolAutonomyLevelRatio {
  /** Share at high autonomy. */
  auto_high?: number
  /** Share at medium autonomy. */
  auto_medium?: number
  /** Share at low autonomy. */
  auto_low?: number
  /** Share with confirmation. */
  manual?: number
}

export interface GroupedToolUsageResponse {
  /** One row per day, or per group or user and day. */
  data: GroupedToolUsageRow[]
  /** Organization and period of the rows. */
  meta: AnalyticsMeta
}

export interface GroupedToolUsageRow {
  /** Day, YYYY-MM-DD in UTC. */
  date: string
  /** Value of the grouped dimension. */
  group_key: string
  /** Tool calls. */
  tool_calls: number
}

export interface ActivityResponse {
  /** One row per day, or per group or user and day. */
  data: ActivityRow[]
  /** Organization and period of the rows. */
  meta: AnalyticsMeta
}

export interface ActivityRow {
  /** Day, YYYY-MM-DD in UTC. */
  date: string
  /** Users active on the day. */
  daily_active_users: number
  /** Users active in the 7 days up to the day. */
  weekly_active_users?: number
  /** Users active in the 30 days up to the day. */
  monthly_active_users?: number
  /** Users by client: terminal-ui, web, non-interactive-cli. */
  daily_active_users_by_client?: Record<string, number>
  /** Sessions started. */
  sessions?: number
  /** Messages of users and assistants. */
  messages?: number
  /** Messages of users. */
  user_messages?: number
}

export interface GroupedActivityResponse {
  /** One row per day, or per group or user and day. */
  data: GroupedActivityRow[]
  /** Organization and period of the rows. */
  meta: AnalyticsMeta
}

export interface GroupedActivityRow {
  /** Day, YYYY-MM-DD in UTC. */
  date: string
  /** Value of the grouped dimension. */
  group_key: string
  /** Users active on the day. */
  daily_active_users: number
}

export interface ProductivityResponse {
  /** One row per day, or per group or user and day. */
  data: ProductivityRow[]
  /** Organization and period of the rows. */
  meta: AnalyticsMeta
}

export interface ProductivityRow {
  /** Day, YYYY-MM-DD in UTC. */
  date: string
  /** Files created. */
  files_created: number
  /** Files edited. */
  files_edited: number
  /** Files by extension. */
  by_extension: ProductivityRowByExtension[]
  /** Files by language. */
  by_language: ProductivityRowByLanguage[]
  /** Git commits. */
  git_commits: number
  /** Pull requests created. */
  git_prs_created: number
}

export interface ProductivityRowByExtension {
  /** File extension. */
  extension: string
  /** How often it was used. */
  count: number
}

export interface ProductivityRowByLanguage {
  /** Language. */
  language: string
  /** How often it was used. */
  count: number
}

export interface UserActivityResponse {
  /** One row per day, or per group or user and day. */
  data: UserActivityRow[]
  /** Organization and period of the rows. */
  meta: AnalyticsPageMeta
}

export interface UserActivityRow {
  /** User ID. */
  user_id: string
  /** E-mail address of the user. */
  user_email: string | null
  /** Day, YYYY-MM-DD in UTC. */
  date: string
  /** Tool calls. */
  tool_calls: number
  /** Credits used. */
  billable_tokens: number
  /** Files created. */
  files_created: number
  /** Files edited. */
  files_edited: number
  /** Git commits. */
  git_commits: number
  /** Pull requests created. */
  git_prs_created: number
  /** Calls to MCP servers. */
  mcp_calls: number
  /** Skills used. */
  skill_calls: number
  /** Slash commands used. */
  slash_commands: number
  /** Hooks run. */
  hooks: number
  /** Sessions. */
  sessions: number
  /** Messages of the user and the assistant. */
  messages: number
  /** Messages of the user. */
  user_messages: number
  /** Messages of the assistant. */
  assistant_messages: number
  /** Tool calls per user turn. */
  autonomy_ratio: number
  /** Model used most. */
  primary_model: string
  /** Tier of that model. */
  primary_model_tier: Open<'standard' | 'thinking'>
  /** How much the user lets the agent do. */
  delegation_level: Open<'auto-high' | 'auto-medium' | 'auto-low' | 'spec' | 'manual'>
  /** Languages worked in. */
  languages: string[]
}

export interface AnalyticsPageMeta {
  /** Organization ID. */
  org_id: string
  /** First day, YYYY-MM-DD in UTC. */
  start_date: string
  /** Last day, YYYY-MM-DD in UTC. */
  end_date: string
  /** Whether there are more rows. */
  has_more?: boolean
  /** Cursor of the next page: a user ID. */
  next_cursor?: string | null
}

export interface ListReadinessReportsResponse {
  /** Reports of this page. */
  reports: ReadinessReport[]
}

export interface ReadinessReport {
  /** Report ID. @format uuid */
  reportId: string
  /** When the report was made, in Unix milliseconds. */
  createdAt: number
  /** Repository that was evaluated. */
  repoUrl: string
  /** Applications by path. */
  apps: Record<string, ReadinessReportApp>
  /** Evaluations by criterion ID. */
  report: Record<string, ReadinessReportReport>
  /** Commit that was evaluated. */
  commitHash?: string
  /** Branch that was evaluated. */
  branch?: string
  /** Whether uncommitted changes existed. */
  hasLocalChanges?: boolean
  /** Whether unpushed commits existed. */
  hasNonRemoteCommits?: boolean
  /** Model that made the report. */
  modelUsed?: ReadinessReportModelUsed
  /** Client version that made the report. */
  droidVersion?: string
}

export interface ReadinessReportApp {
  /** What the application is. */
  description: string
}

export interface ReadinessReportReport {
  /** Points reached, 0 to denominator. @minimum 0 */
  numerator: number
  /** Points that can be reached. @minimum 1 */
  denominator: number
  /** Reason for the score. */
  rationale: string
}

/** Model that made the report. */
export interface ReadinessReportModelUsed {
  /** ID of the model. */
  id: string
  /** How much the model reasoned. */
  reasoningEffort: Open<'low' | 'medium' | 'high' | 'off'>
}

export interface ListSessionsResponse {
  /** Sessions of this page. */
  sessions: Session[]
  /** How to get the next page. */
  pagination: ListSessionsResponsePagination
}

/** How to get the next page. */
export interface ListSessionsResponsePagination {
  /** Whether there is more. */
  hasMore: boolean
  /** Cursor of the next page. */
  nextCursor?: string | null
}

export interface DeleteSessionResponse {
  /** Set if the first response was lost and a retry found nothing left to delete. */
  replayed?: true
}

export interface InterruptSessionResponse {
  /** Status of the session. */
  status: Open<'idle' | 'pending' | 'running'>
}

export interface ListComputersResponse {
  /** Your computers. */
  computers: Computer[]
}

export interface RestartComputerResponse {
}

export interface ListUsersResponse {
  /** Users of this page. */
  users: ListUsersResponseUser[]
  /** How to get the next page. */
  pagination: ListUsersResponsePagination
}

export interface ListUsersResponseUser {
  /** User ID. */
  id: string
  /** E-mail address of the user. */
  email: string
  /** First name. */
  firstName?: string | null
  /** Last name. */
  lastName?: string | null
  /** When the user was created. */
  createdAt?: unknown
  /** When the user last signed in. */
  lastSignInAt?: unknown
  /** More about the user. */
  metadata?: unknown
}

/** How to get the next page. */
export interface ListUsersResponsePagination {
  /** Whether there is more. */
  hasMore: boolean
  /** Cursor of the next page. */
  nextCursor?: string | null
}

export interface InviteUserResponse {
  /** E-mail address of the user. */
  email: string
  /** Role of the user. */
  role: Open<'user' | 'manager' | 'owner'>
  /** What was done. */
  status: Open<'invited' | 'already_member' | 'role_updated' | 'already_invited' | 'error'>
  /** Why nothing was done. */
  error?: string
}

export interface GetUserLimitsResponse {
  /** Credits for everybody else; null for no limit. */
  globalLimit: number | null
  /** Limits of single users. */
  userLimits: GetUserLimitsResponseUserLimit[]
}

export interface GetUserLimitsResponseUserLimit {
  /** E-mail address of the user. */
  email: string
  /** Credits. */
  limit: number | null
}

export interface RevokeKeyResponse {
}

/** A string whose known values may be extended: editors suggest the known ones, every string is accepted. */
export type Open<Value extends string> = Value | (string & {})

declare const unlisted: unique symbol

/**
 * A string that this version does not know. Not declared as a string, since the compiler could then not narrow the
 * known ones: `block.type === 'text'` would not make `block` a `TextBlock`. `String(…)` gives its text.
 */
export interface Unlisted {
  readonly [unlisted]: true
  toString(): string
}

/** The input of an endpoint that takes none. */
export type NoInput = Readonly<Record<string, never>>
