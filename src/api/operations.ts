// Written by `npm run gen` from the table in src/api/endpoints/.
import type { OperationTree } from './operation.ts'

const fields7 = 'name:s,metadata?:o'

const fields6 = 'createdAt,updatedAt'

const fields5 = 'date,group_key:s'

const fields4 = 'org_id,start_date,end_date:s'

const fields3 = 'files_created,files_edited,git_commits,git_prs_created'

const fields2 = 'startDate,endDate:d'

const fields1 = 'input_tokens?,output_tokens?,cache_read_tokens?,cache_write_tokens?:n'

const fields = 'model?,specModeModel?,providerLockTimestamp?,archivedAt?,compactionModel?,reasoningEffort?,specModeReasoningEffort?,interactionMode?,autonomyLevel?,autonomyMode?,providerLock?,apiProviderLock?:s,runInWorktree?,compactionThresholdCheckEnabled?:b,assistantActiveTimeMs?:n,enabledToolIds?,disabledToolIds?:[s],tags?'

const shared7 = { groupBy: "group_by" }

const shared6 = { '400': "days are in UTC, from 2026-01-14 to yesterday", '403': "needs the Manager or Owner role" }

const shared5 = { '403': "the organization has switched off cloud sync of wikis" }

const shared4 = { '403': "only your own computers; those of service accounts need the Manager or Owner role" }

const shared3 = "/api/v0/computers/{computerId}"

const shared2 = "/api/v0/sessions/{sessionId}/messages"

const shared1 = { '403': "enabled for selected organizations only" }

const shared0 = "/api/v0/organization/usage/limits/global"

const GlobalLimit = `{limit:i0(0-)}`

const TokenUsage = `{inputTokens?,outputTokens?,cacheCreationTokens?,cacheReadTokens?,thinkingTokens?,credits~:n}`

const Computer = `{id,providerType,status?,relayClientUrl?,relayAgentUrl?,remoteUser?,ownerPrincipalKind?,ownerId?:s,name:s(1-63),createdAt:n,hostId?:u,provisioningSteps?:[{id?,name?,status?,error?,installSessionId?:s,startedAt?,completedAt?:n}],clonedRepoDirectories?:[s],computerSource?:{kind:(template),templateId:s}|{kind?:s}}`

const AnalyticsMeta = `{${fields4}}`

export const operations: OperationTree = {
  serviceAccounts: {
    keys: {
      rotate: {
        method: "POST",
        path: "/api/v0/service-accounts/{serviceAccountId}/api-keys/{keyId}/rotate",
        strictInput: true,
        hints: { '400': "the grace period must not outlast the expiry of the key", '403': "service accounts need an enterprise plan and the Manager or Owner role" },
        body: `!{expiresAt?:i(1-),gracePeriodMinutes?:i(0-10)}`,
        response: `{apiKey:{id,value,fingerprint,name:s(1-),expiresAt?:n}}`,
      },
    },
  },
  organization: {
    limits: {
      getGlobal: {
        path: shared0,
        response: GlobalLimit,
      },
      setGlobal: {
        method: "PUT",
        path: shared0,
        body: `!{limit:i0(1000000-)}`,
        response: GlobalLimit,
      },
      setUsers: {
        method: "PUT",
        path: "/api/v0/organization/usage/limits/users",
        body: `!{users:[!{email:s,limit:i0}](1-100)}`,
        response: `{updated:[{email:s,limit:i0}],errors:[{email,error:s}]}`,
      },
    },
    users: {
      remove: {
        method: "DELETE",
        path: "/api/v0/organization/users",
        query: `!{email:e}`,
        response: `{}`,
      },
    },
  },
  sessions: {
    create: {
      method: "POST",
      path: "/api/v0/sessions",
      success: [201],
      hints: shared1,
      body: `!{computerId:s,cwd?:s(1-4096),sessionSettings?:!{${fields}:[!{${fields7}}],childInclusiveTokenUsageBySessionId?:o}}`,
      response: `{sessionId,status,title?,computerId?:s,messageCount,${fields6},completedAt?:i,sessionSettings?:{${fields}:[{${fields7}}],tokenUsage?,inclusiveTokenUsage?:${TokenUsage},childInclusiveTokenUsageBySessionId?:<${TokenUsage}>}}`,
    },
    messages: {
      add: {
        method: "POST",
        path: shared2,
        hints: shared1,
        body: `!{text,computerId?:s,images?:[!{type:(base64),data,mediaType?:s}],files?:[!{type:(base64),data,mediaType?,parsedData?,name?,path?:s}]}`,
        response: `{messageId,status:s}`,
      },
      list: {
        path: shared2,
        hints: shared1,
        page: { items: "messages", next: "pagination.nextCursor", hasMore: "pagination.hasMore", cursor: "cursor" },
        query: `!{limit?:i(1-100),cursor?,computerId?:s,role?:(user|assistant|tool)}`,
        response: `{messages:[{id,role,parentId?,userMessageSource?,visibility?,modelId?,routerId?,reasoningEffort?,interactionMode?,chatCompletionReasoningField?,chatCompletionReasoningContent?,parallelGroupId?,hookEventName?,hookMatcher?,hookToolCallId?,hookStatus?,providerMessageId~,providerPhase~,providerEncryptedContent~,providerReasoningId~,providerReasoningSummary~,providerThoughtSignature~:s,content:[{type:(text),text,id?:s}|{type:(image),id?:s}|{type:(thinking),thinking,signature?,id?:s,durationMs?:n}|{type:(redacted_thinking),id?:s}|{type:(tool_use),id,name:s}|{type:(tool_result),toolUseId,id?:s,isError?:b}|{type:(document),name?,id?:s}|{type:s}],${fields6},hookStartTime?,hookEndTime?:n,isUserVisible?,hiddenFromUserViews?,isError?,isParallelExecution?:b,hookCommands?:[{command?:s,timeout?:n}],hookResults?:[{exitCode?:n,stdout?,stderr?:s,suppressOutput?:b}]}],pagination:{hasMore:b,nextCursor?:s0}}`,
      },
    },
  },
  computers: {
    getByName: {
      path: "/api/v0/computers/name/{name}",
      params: `!{name:s(1-63)}`,
      response: Computer,
    },
    get: {
      path: shared3,
      hints: shared4,
      response: Computer,
    },
    refresh: {
      method: "POST",
      path: "/api/v0/computers/{computerId}/refresh",
      hints: shared4,
      response: `{configured:i}`,
    },
    delete: {
      method: "DELETE",
      path: shared3,
      hints: shared4,
      response: `{}`,
    },
  },
  automations: {
    ci: {
      repositories: {
        path: "/api/v0/automations/ci/repositories",
        passthrough: true,
        query: `{}`,
      },
      scan: {
        path: "/api/v0/automations/ci/scan",
        passthrough: true,
        query: `{}`,
      },
    },
  },
  wiki: {
    create: {
      method: "POST",
      path: "/api/v0/wiki",
      passthrough: true,
      hints: shared5,
      body: `{}`,
    },
    get: {
      path: "/api/v0/wiki/{wikiRunId}",
      passthrough: true,
      hints: shared5,
      query: `{}`,
    },
    search: {
      path: "/api/v0/wiki/{wikiRunId}/search",
      passthrough: true,
      hints: shared5,
      query: `{}`,
    },
    setPrivacy: {
      method: "POST",
      path: "/api/v0/wiki/{wikiRunId}/privacy",
      passthrough: true,
      hints: shared5,
      body: `{}`,
    },
  },
  analytics: {
    tokens: {
      path: "/api/v1/analytics/tokens",
      hints: shared6,
      wire: shared7,
      query: `!{${fields2},groupBy?:(model)}`,
      response: `{data:[{date:s,billable_tokens,${fields1},by_model?,by_user?:a}],meta:${AnalyticsMeta}}`,
      groupedResponse: `{data:[{${fields5},billable_tokens?,${fields1}}],meta:${AnalyticsMeta}}`,
    },
    tools: {
      path: "/api/v1/analytics/tools",
      hints: shared6,
      wire: shared7,
      query: `!{${fields2},groupBy?:(tool_name)}`,
      response: `{data:[{date:s,tool_calls,mcp_users_with_mcp?,skills_invocations?,slash_commands_invocations?,hooks_invocations?,web_users?,autonomy_ratio_avg?,autonomy_ratio_p50?,autonomy_ratio_p90?,tool_calls_per_session_avg?,user_turns_per_session_avg?:n,by_tool?:[{tool:s,invocations:n}],mcp_by_server?:[{server:s,invocations:n}],skills_by_name?,slash_commands_by_name?:[{name:s,count:n}],hooks_by_event?:[{event,matcher?,command?:s,count:n}],tool_autonomy_level_ratio?:{auto_high?,auto_medium?,auto_low?,manual?:n}}],meta:${AnalyticsMeta}}`,
      groupedResponse: `{data:[{${fields5},tool_calls:n}],meta:${AnalyticsMeta}}`,
    },
    activity: {
      path: "/api/v1/analytics/activity",
      hints: shared6,
      wire: shared7,
      query: `!{${fields2},groupBy?:(client)}`,
      response: `{data:[{date:s,daily_active_users,weekly_active_users?,monthly_active_users?,sessions?,messages?,user_messages?:n,daily_active_users_by_client?:<n>}],meta:${AnalyticsMeta}}`,
      groupedResponse: `{data:[{${fields5},daily_active_users:n}],meta:${AnalyticsMeta}}`,
    },
    productivity: {
      path: "/api/v1/analytics/productivity",
      hints: shared6,
      query: `!{${fields2}}`,
      response: `{data:[{date:s,${fields3}:n,by_extension:[{extension:s,count:n}],by_language:[{language:s,count:n}]}],meta:${AnalyticsMeta}}`,
    },
    users: {
      path: "/api/v1/analytics/users",
      hints: shared6,
      page: { items: "data", next: "meta.next_cursor", hasMore: "meta.has_more", cursor: "cursor" },
      query: `!{${fields2},limit?:i(1-100),cursor?:s}`,
      response: `{data:[{user_id,date,primary_model,primary_model_tier,delegation_level:s,user_email:s0,tool_calls,billable_tokens,${fields3},mcp_calls,skill_calls,slash_commands,hooks,sessions,messages,user_messages,assistant_messages,autonomy_ratio:n,languages:[s]}],meta:{${fields4},has_more?:b,next_cursor?:s0}}`,
    },
  },
  readiness: {
    reports: {
      path: "/api/organization/maturity-level-reports",
      alternatePath: "/api/organization/agent-readiness-reports",
      host: "app",
      hints: { '404': "not found at any known path: check appUrl and paths" },
      page: { items: "reports", next: "reports.-1.reportId", cursor: "startAfter" },
      query: `!{repoId?,startAfter?:s,limit?:i(1-)}`,
      response: `{reports:[{reportId:u,createdAt:n,repoUrl,commitHash?,branch?,droidVersion?:s,apps:<{description:s}>,report:<{numerator:n(0-denominator),denominator:n(1-),rationale:s}>,hasLocalChanges?,hasNonRemoteCommits?:b,modelUsed?:{id,reasoningEffort:s}}]}`,
    },
  },
}

/** The `id` of an endpoint: the path of its method in the client. */
export type EndpointId =
  | 'serviceAccounts.keys.rotate'
  | 'organization.limits.getGlobal'
  | 'organization.limits.setGlobal'
  | 'organization.limits.setUsers'
  | 'organization.users.remove'
  | 'sessions.create'
  | 'sessions.messages.add'
  | 'sessions.messages.list'
  | 'computers.getByName'
  | 'computers.get'
  | 'computers.refresh'
  | 'computers.delete'
  | 'automations.ci.repositories'
  | 'automations.ci.scan'
  | 'wiki.create'
  | 'wiki.get'
  | 'wiki.search'
  | 'wiki.setPrivacy'
  | 'analytics.tokens'
  | 'analytics.tools'
  | 'analytics.activity'
  | 'analytics.productivity'
  | 'analytics.users'
  | 'readiness.reports'
