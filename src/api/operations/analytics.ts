// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../core/operation.ts'
import { text, number, boolean, texts, type Shape } from '../core/shape.ts'

const TokensRow: Shape = {type:"object",properties:{date:text,group_key:text,billable_tokens:number,input_tokens:number,output_tokens:number,cache_read_tokens:number,cache_write_tokens:number,by_model:{type:"array"},by_user:{type:"array"}},required:["date"]}

const AnalyticsMeta: Shape = {type:"object",properties:{org_id:text,start_date:text,end_date:text},required:["org_id","start_date","end_date"]}

const ToolsRow: Shape = {type:"object",properties:{date:text,group_key:text,tool_calls:number,by_tool:{type:"array",items:{type:"object",properties:{tool:text,invocations:number},required:["tool","invocations"]}},mcp_users_with_mcp:number,mcp_by_server:{type:"array",items:{type:"object",properties:{server:text,invocations:number},required:["server","invocations"]}},skills_invocations:number,skills_by_name:{type:"array",items:{type:"object",properties:{name:text,count:number},required:["name","count"]}},slash_commands_invocations:number,slash_commands_by_name:{type:"array",items:{type:"object",properties:{name:text,count:number},required:["name","count"]}},hooks_invocations:number,hooks_by_event:{type:"array",items:{type:"object",properties:{event:text,matcher:text,command:text,count:number},required:["event","count"]}},web_users:number,autonomy_ratio_avg:number,autonomy_ratio_p50:number,autonomy_ratio_p90:number,tool_calls_per_session_avg:number,user_turns_per_session_avg:number,tool_autonomy_level_ratio:{type:"object",properties:{auto_high:number,auto_medium:number,auto_low:number,manual:number}}},required:["date","tool_calls"]}

const ActivityRow: Shape = {type:"object",properties:{date:text,group_key:text,daily_active_users:number,weekly_active_users:number,monthly_active_users:number,daily_active_users_by_client:{type:"object",additionalProperties:number},sessions:number,messages:number,user_messages:number},required:["date","daily_active_users"]}

const ProductivityRow: Shape = {type:"object",properties:{date:text,files_created:number,files_edited:number,by_extension:{type:"array",items:{type:"object",properties:{extension:text,count:number},required:["extension","count"]}},by_language:{type:"array",items:{type:"object",properties:{language:text,count:number},required:["language","count"]}},git_commits:number,git_prs_created:number},required:["date","files_created","files_edited","by_extension","by_language","git_commits","git_prs_created"]}

const UserRow: Shape = {type:"object",properties:{user_id:text,user_email:{type:["string","null"]},date:text,tool_calls:number,billable_tokens:number,files_created:number,files_edited:number,git_commits:number,git_prs_created:number,mcp_calls:number,skill_calls:number,slash_commands:number,hooks:number,sessions:number,messages:number,user_messages:number,assistant_messages:number,autonomy_ratio:number,primary_model:text,primary_model_tier:text,delegation_level:text,languages:texts},required:["user_id","user_email","date","tool_calls","billable_tokens","files_created","files_edited","git_commits","git_prs_created","mcp_calls","skill_calls","slash_commands","hooks","sessions","messages","user_messages","assistant_messages","autonomy_ratio","primary_model","primary_model_tier","delegation_level","languages"]}

const AnalyticsPageMeta: Shape = {type:"object",properties:{org_id:text,start_date:text,end_date:text,has_more:boolean,next_cursor:{type:["string","null"]}},required:["org_id","start_date","end_date"]}

export const analytics: OperationTree = {
  tokens: {
    id: "analytics.tokens",
    method: "GET",
    path: "/api/v1/analytics/tokens",
    host: "base",
    wire: {groupBy:"group_by"},
    success: [200],
    retry: "safe",
    hints: {"400":"days are in UTC, from 2026-01-14 to yesterday; today is refused","403":"needs the Manager or Owner role"},
    query: {type:"object",properties:{startDate:{type:"string",format:"date"},endDate:{type:"string",format:"date"},groupBy:{type:"string",enum:["model"]}},required:["startDate","endDate"],additionalProperties:false},
    response: {type:"object",properties:{data:{type:"array",items:TokensRow},meta:AnalyticsMeta},required:["data","meta"]},
  },
  tools: {
    id: "analytics.tools",
    method: "GET",
    path: "/api/v1/analytics/tools",
    host: "base",
    wire: {groupBy:"group_by"},
    success: [200],
    retry: "safe",
    hints: {"400":"days are in UTC, from 2026-01-14 to yesterday; today is refused","403":"needs the Manager or Owner role"},
    query: {type:"object",properties:{startDate:{type:"string",format:"date"},endDate:{type:"string",format:"date"},groupBy:{type:"string",enum:["tool_name"]}},required:["startDate","endDate"],additionalProperties:false},
    response: {type:"object",properties:{data:{type:"array",items:ToolsRow},meta:AnalyticsMeta},required:["data","meta"]},
  },
  activity: {
    id: "analytics.activity",
    method: "GET",
    path: "/api/v1/analytics/activity",
    host: "base",
    wire: {groupBy:"group_by"},
    success: [200],
    retry: "safe",
    hints: {"400":"days are in UTC, from 2026-01-14 to yesterday; today is refused","403":"needs the Manager or Owner role"},
    query: {type:"object",properties:{startDate:{type:"string",format:"date"},endDate:{type:"string",format:"date"},groupBy:{type:"string",enum:["client"]}},required:["startDate","endDate"],additionalProperties:false},
    response: {type:"object",properties:{data:{type:"array",items:ActivityRow},meta:AnalyticsMeta},required:["data","meta"]},
  },
  productivity: {
    id: "analytics.productivity",
    method: "GET",
    path: "/api/v1/analytics/productivity",
    host: "base",
    success: [200],
    retry: "safe",
    hints: {"400":"days are in UTC, from 2026-01-14 to yesterday; today is refused","403":"needs the Manager or Owner role"},
    query: {type:"object",properties:{startDate:{type:"string",format:"date"},endDate:{type:"string",format:"date"}},required:["startDate","endDate"],additionalProperties:false},
    response: {type:"object",properties:{data:{type:"array",items:ProductivityRow},meta:AnalyticsMeta},required:["data","meta"]},
  },
  users: {
    id: "analytics.users",
    method: "GET",
    path: "/api/v1/analytics/users",
    host: "base",
    success: [200],
    retry: "safe",
    hints: {"400":"days are in UTC, from 2026-01-14 to yesterday; today is refused","403":"needs the Manager or Owner role"},
    page: {items:"data",next:{from:"response",path:"meta.next_cursor"},hasMore:"meta.has_more",cursor:"cursor",size:"limit",end:"no-cursor"},
    query: {type:"object",properties:{startDate:{type:"string",format:"date"},endDate:{type:"string",format:"date"},limit:{type:"integer",minimum:1,maximum:100},cursor:text},required:["startDate","endDate"],additionalProperties:false},
    response: {type:"object",properties:{data:{type:"array",items:UserRow},meta:AnalyticsPageMeta},required:["data","meta"]},
  },
}
