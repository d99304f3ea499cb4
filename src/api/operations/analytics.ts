// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../operation.ts'
import { shape } from '../validation/shape.ts'

const same0 = { '400': "days are in UTC, from 2026-01-14 to yesterday; today is refused", '403': "needs the Manager or Owner role" }

const TokenUsageRow = shape`{date:s,billable_tokens:n,input_tokens?:n,output_tokens?:n,cache_read_tokens?:n,cache_write_tokens?:n,by_model?:a,by_user?:a}`

const AnalyticsMeta = shape`{org_id:s,start_date:s,end_date:s}`

const GroupedTokenUsageRow = shape`{date:s,group_key:s,billable_tokens?:n,input_tokens?:n,output_tokens?:n,cache_read_tokens?:n,cache_write_tokens?:n}`

const ToolUsageRow = shape`{date:s,tool_calls:n,by_tool?:[{tool:s,invocations:n}],mcp_users_with_mcp?:n,mcp_by_server?:[{server:s,invocations:n}],skills_invocations?:n,skills_by_name?:[{name:s,count:n}],slash_commands_invocations?:n,slash_commands_by_name?:[{name:s,count:n}],hooks_invocations?:n,hooks_by_event?:[{event:s,matcher?:s,command?:s,count:n}],web_users?:n,autonomy_ratio_avg?:n,autonomy_ratio_p50?:n,autonomy_ratio_p90?:n,tool_calls_per_session_avg?:n,user_turns_per_session_avg?:n,tool_autonomy_level_ratio?:{auto_high?:n,auto_medium?:n,auto_low?:n,manual?:n}}`

const GroupedToolUsageRow = shape`{date:s,group_key:s,tool_calls:n}`

const ActivityRow = shape`{date:s,daily_active_users:n,weekly_active_users?:n,monthly_active_users?:n,daily_active_users_by_client?:<n>,sessions?:n,messages?:n,user_messages?:n}`

const GroupedActivityRow = shape`{date:s,group_key:s,daily_active_users:n}`

const ProductivityRow = shape`{date:s,files_created:n,files_edited:n,by_extension:[{extension:s,count:n}],by_language:[{language:s,count:n}],git_commits:n,git_prs_created:n}`

const UserActivityRow = shape`{user_id:s,user_email:s0,date:s,tool_calls:n,billable_tokens:n,files_created:n,files_edited:n,git_commits:n,git_prs_created:n,mcp_calls:n,skill_calls:n,slash_commands:n,hooks:n,sessions:n,messages:n,user_messages:n,assistant_messages:n,autonomy_ratio:n,primary_model:s,primary_model_tier:s,delegation_level:s,languages:[s]}`

const AnalyticsPageMeta = shape`{org_id:s,start_date:s,end_date:s,has_more?:b,next_cursor?:s0}`

export const analytics: OperationTree = {
  tokens: {
    method: "GET",
    path: "/api/v1/analytics/tokens",
    hints: same0,
    wire: { groupBy: "group_by" },
    query: shape`!{startDate:d,endDate:d,groupBy?:${{ type: "string", enum: ["model"] }}}`,
    response: shape`{data:[${TokenUsageRow}],meta:${AnalyticsMeta}}`,
    groupedResponse: shape`{data:[${GroupedTokenUsageRow}],meta:${AnalyticsMeta}}`,
  },
  tools: {
    method: "GET",
    path: "/api/v1/analytics/tools",
    hints: same0,
    wire: { groupBy: "group_by" },
    query: shape`!{startDate:d,endDate:d,groupBy?:${{ type: "string", enum: ["tool_name"] }}}`,
    response: shape`{data:[${ToolUsageRow}],meta:${AnalyticsMeta}}`,
    groupedResponse: shape`{data:[${GroupedToolUsageRow}],meta:${AnalyticsMeta}}`,
  },
  activity: {
    method: "GET",
    path: "/api/v1/analytics/activity",
    hints: same0,
    wire: { groupBy: "group_by" },
    query: shape`!{startDate:d,endDate:d,groupBy?:${{ type: "string", enum: ["client"] }}}`,
    response: shape`{data:[${ActivityRow}],meta:${AnalyticsMeta}}`,
    groupedResponse: shape`{data:[${GroupedActivityRow}],meta:${AnalyticsMeta}}`,
  },
  productivity: {
    method: "GET",
    path: "/api/v1/analytics/productivity",
    hints: same0,
    query: shape`!{startDate:d,endDate:d}`,
    response: shape`{data:[${ProductivityRow}],meta:${AnalyticsMeta}}`,
  },
  users: {
    method: "GET",
    path: "/api/v1/analytics/users",
    hints: same0,
    page: { items: "data", next: { from: "response", path: "meta.next_cursor" }, hasMore: "meta.has_more", cursor: "cursor", size: "limit", end: "no-cursor" },
    query: shape`!{startDate:d,endDate:d,limit?:${{ type: "integer", minimum: 1, maximum: 100 }},cursor?:s}`,
    response: shape`{data:[${UserActivityRow}],meta:${AnalyticsPageMeta}}`,
  },
}
