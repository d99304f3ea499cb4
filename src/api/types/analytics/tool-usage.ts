// Written by `npm run gen` from the table in src/api/endpoints/.
import type { AnalyticsMeta } from './token-usage.ts'

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
