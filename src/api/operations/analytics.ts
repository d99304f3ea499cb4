// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../core/operation.ts'
import { boolean, closed, list, number, open, text, type Shape } from '../validation/shape.ts'

const same0 = { '400': "days are in UTC, from 2026-01-14 to yesterday; today is refused", '403': "needs the Manager or Owner role" }

const TokensRow: Shape = open({ date: text, group_key: text, billable_tokens: number, input_tokens: number, output_tokens: number, cache_read_tokens: number, cache_write_tokens: number, by_model: { type: "array" }, by_user: { type: "array" } }, ["date"])

const AnalyticsMeta: Shape = open({ org_id: text, start_date: text, end_date: text }, ["org_id", "start_date", "end_date"])

const ToolsRow: Shape = open({ date: text, group_key: text, tool_calls: number, by_tool: list(open({ tool: text, invocations: number }, ["tool", "invocations"])), mcp_users_with_mcp: number, mcp_by_server: list(open({ server: text, invocations: number }, ["server", "invocations"])), skills_invocations: number, skills_by_name: list(open({ name: text, count: number }, ["name", "count"])), slash_commands_invocations: number, slash_commands_by_name: list(open({ name: text, count: number }, ["name", "count"])), hooks_invocations: number, hooks_by_event: list(open({ event: text, matcher: text, command: text, count: number }, ["event", "count"])), web_users: number, autonomy_ratio_avg: number, autonomy_ratio_p50: number, autonomy_ratio_p90: number, tool_calls_per_session_avg: number, user_turns_per_session_avg: number, tool_autonomy_level_ratio: open({ auto_high: number, auto_medium: number, auto_low: number, manual: number }) }, ["date", "tool_calls"])

const ActivityRow: Shape = open({ date: text, group_key: text, daily_active_users: number, weekly_active_users: number, monthly_active_users: number, daily_active_users_by_client: { type: "object", additionalProperties: number }, sessions: number, messages: number, user_messages: number }, ["date", "daily_active_users"])

const ProductivityRow: Shape = open({ date: text, files_created: number, files_edited: number, by_extension: list(open({ extension: text, count: number }, ["extension", "count"])), by_language: list(open({ language: text, count: number }, ["language", "count"])), git_commits: number, git_prs_created: number }, ["date", "files_created", "files_edited", "by_extension", "by_language", "git_commits", "git_prs_created"])

const UserRow: Shape = open({ user_id: text, user_email: { type: ["string", "null"] }, date: text, tool_calls: number, billable_tokens: number, files_created: number, files_edited: number, git_commits: number, git_prs_created: number, mcp_calls: number, skill_calls: number, slash_commands: number, hooks: number, sessions: number, messages: number, user_messages: number, assistant_messages: number, autonomy_ratio: number, primary_model: text, primary_model_tier: text, delegation_level: text, languages: list(text) }, ["user_id", "user_email", "date", "tool_calls", "billable_tokens", "files_created", "files_edited", "git_commits", "git_prs_created", "mcp_calls", "skill_calls", "slash_commands", "hooks", "sessions", "messages", "user_messages", "assistant_messages", "autonomy_ratio", "primary_model", "primary_model_tier", "delegation_level", "languages"])

const AnalyticsPageMeta: Shape = open({ org_id: text, start_date: text, end_date: text, has_more: boolean, next_cursor: { type: ["string", "null"] } }, ["org_id", "start_date", "end_date"])

export const analytics: OperationTree = {
  tokens: {
    id: "analytics.tokens",
    method: "GET",
    path: "/api/v1/analytics/tokens",
    host: "base",
    success: [200],
    retry: "safe",
    hints: same0,
    wire: { groupBy: "group_by" },
    query: closed({ startDate: { type: "string", format: "date" }, endDate: { type: "string", format: "date" }, groupBy: { type: "string", enum: ["model"] } }, ["startDate", "endDate"]),
    response: open({ data: list(TokensRow), meta: AnalyticsMeta }, ["data", "meta"]),
  },
  tools: {
    id: "analytics.tools",
    method: "GET",
    path: "/api/v1/analytics/tools",
    host: "base",
    success: [200],
    retry: "safe",
    hints: same0,
    wire: { groupBy: "group_by" },
    query: closed({ startDate: { type: "string", format: "date" }, endDate: { type: "string", format: "date" }, groupBy: { type: "string", enum: ["tool_name"] } }, ["startDate", "endDate"]),
    response: open({ data: list(ToolsRow), meta: AnalyticsMeta }, ["data", "meta"]),
  },
  activity: {
    id: "analytics.activity",
    method: "GET",
    path: "/api/v1/analytics/activity",
    host: "base",
    success: [200],
    retry: "safe",
    hints: same0,
    wire: { groupBy: "group_by" },
    query: closed({ startDate: { type: "string", format: "date" }, endDate: { type: "string", format: "date" }, groupBy: { type: "string", enum: ["client"] } }, ["startDate", "endDate"]),
    response: open({ data: list(ActivityRow), meta: AnalyticsMeta }, ["data", "meta"]),
  },
  productivity: {
    id: "analytics.productivity",
    method: "GET",
    path: "/api/v1/analytics/productivity",
    host: "base",
    success: [200],
    retry: "safe",
    hints: same0,
    query: closed({ startDate: { type: "string", format: "date" }, endDate: { type: "string", format: "date" } }, ["startDate", "endDate"]),
    response: open({ data: list(ProductivityRow), meta: AnalyticsMeta }, ["data", "meta"]),
  },
  users: {
    id: "analytics.users",
    method: "GET",
    path: "/api/v1/analytics/users",
    host: "base",
    success: [200],
    retry: "safe",
    hints: same0,
    page: { items: "data", next: { from: "response", path: "meta.next_cursor" }, hasMore: "meta.has_more", cursor: "cursor", size: "limit", end: "no-cursor" },
    query: closed({ startDate: { type: "string", format: "date" }, endDate: { type: "string", format: "date" }, limit: { type: "integer", minimum: 1, maximum: 100 }, cursor: text }, ["startDate", "endDate"]),
    response: open({ data: list(UserRow), meta: AnalyticsPageMeta }, ["data", "meta"]),
  },
}
