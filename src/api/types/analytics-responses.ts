// Written by `npm run gen` from the table in ../endpoints.
import type { Open } from './open.ts'

export interface TokenUsageResponse {
  /** One row per day, or per group or user and day. */
  data: TokenUsageRow[]
  /** What the rows are about. */
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
  /** The same by model. */
  by_model?: unknown[]
  /** The same by user. */
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
  /** What the rows are about. */
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
  /** What the rows are about. */
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
  /** What the rows are about. */
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
  /** What the rows are about. */
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
  /** What the rows are about. */
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
  /** What the rows are about. */
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
  /** What the rows are about. */
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
