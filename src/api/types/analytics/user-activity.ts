// Written by `npm run gen` from the table in src/api/endpoints/.
import type { Open } from '../open.ts'

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
