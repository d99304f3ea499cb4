// Written by `npm run gen` from the table in src/api/endpoints/.
import type { OperationTree } from '../operation.ts'

const fields4 = 'date,group_key:s'

const fields3 = 'org_id,start_date,end_date:s'

const fields2 = 'files_created,files_edited,git_commits,git_prs_created'

const fields1 = 'startDate,endDate:d'

const fields = 'input_tokens?,output_tokens?,cache_read_tokens?,cache_write_tokens?:n'

const shared1 = { groupBy: "group_by" }

const shared0 = { '400': "days are in UTC, from 2026-01-14 to yesterday", '403': "needs the Manager or Owner role" }

const AnalyticsMeta = `{${fields3}}`

export const analytics: OperationTree = {
  tokens: {
    path: "/api/v1/analytics/tokens",
    hints: shared0,
    wire: shared1,
    query: `!{${fields1},groupBy?:(model)}`,
    response: `{data:[{date:s,billable_tokens,${fields},by_model?,by_user?:a}],meta:${AnalyticsMeta}}`,
    groupedResponse: `{data:[{${fields4},billable_tokens?,${fields}}],meta:${AnalyticsMeta}}`,
  },
  tools: {
    path: "/api/v1/analytics/tools",
    hints: shared0,
    wire: shared1,
    query: `!{${fields1},groupBy?:(tool_name)}`,
    response: `{data:[{date:s,tool_calls,mcp_users_with_mcp?,skills_invocations?,slash_commands_invocations?,hooks_invocations?,web_users?,autonomy_ratio_avg?,autonomy_ratio_p50?,autonomy_ratio_p90?,tool_calls_per_session_avg?,user_turns_per_session_avg?:n,by_tool?:[{tool:s,invocations:n}],mcp_by_server?:[{server:s,invocations:n}],skills_by_name?,slash_commands_by_name?:[{name:s,count:n}],hooks_by_event?:[{event,matcher?,command?:s,count:n}],tool_autonomy_level_ratio?:{auto_high?,auto_medium?,auto_low?,manual?:n}}],meta:${AnalyticsMeta}}`,
    groupedResponse: `{data:[{${fields4},tool_calls:n}],meta:${AnalyticsMeta}}`,
  },
  activity: {
    path: "/api/v1/analytics/activity",
    hints: shared0,
    wire: shared1,
    query: `!{${fields1},groupBy?:(client)}`,
    response: `{data:[{date:s,daily_active_users,weekly_active_users?,monthly_active_users?,sessions?,messages?,user_messages?:n,daily_active_users_by_client?:<n>}],meta:${AnalyticsMeta}}`,
    groupedResponse: `{data:[{${fields4},daily_active_users:n}],meta:${AnalyticsMeta}}`,
  },
  productivity: {
    path: "/api/v1/analytics/productivity",
    hints: shared0,
    query: `!{${fields1}}`,
    response: `{data:[{date:s,${fields2}:n,by_extension:[{extension:s,count:n}],by_language:[{language:s,count:n}]}],meta:${AnalyticsMeta}}`,
  },
  users: {
    path: "/api/v1/analytics/users",
    hints: shared0,
    page: { items: "data", next: "meta.next_cursor", hasMore: "meta.has_more", cursor: "cursor" },
    query: `!{${fields1},limit?:i(1-100),cursor?:s}`,
    response: `{data:[{user_id,date,primary_model,primary_model_tier,delegation_level:s,user_email:s0,tool_calls,billable_tokens,${fields2},mcp_calls,skill_calls,slash_commands,hooks,sessions,messages,user_messages,assistant_messages,autonomy_ratio:n,languages:[s]}],meta:{${fields3},has_more?:b,next_cursor?:s0}}`,
  },
}
