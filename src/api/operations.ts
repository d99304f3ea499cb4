// Written by `npm run gen` from the table in src/api/endpoints/.
import type { OperationTree } from './operation.ts'

const text20 = `,reasoningEffort`

const text29 = `?,interactionMode?,`

const text0 = `{model?,specModeModel?,providerLockTimestamp?,archivedAt?,compactionModel?${text20}?,specModeReasoningEffort${text29}autonomyLevel?,autonomyMode?,providerLock?,apiProviderLock?:s,runInWorktree?,compactionThresholdCheckEnabled?:b,assistantActiveTimeMs?:n,enabledToolIds?,disabledToolIds?:[s],tags?:[`

const text1 = `{id,providerType,status?,relayClientUrl?,relayAgentUrl?,remoteUser?,ownerPrincipalKind?,ownerId?:s,name:s(1-63),createdAt:n,hostId?:u,provisioningSteps?:[{id?,name?,status?,error?,installSessionId?:s,startedAt?,completedAt?:n}],clonedRepoDirectories?:[s],computerSource?:{kind:(template),templateId:s}|{kind?:s}}`

const text2 = `}],meta:{org_id,start_date,end_date:s`

const text3 = `{inputTokens?,outputTokens?,cacheCreationTokens?,cacheReadTokens?,thinkingTokens?,credits~:n}`

const text4 = `,input_tokens?,output_tokens?,cache_read_tokens?,cache_write_tokens?:n`

const text5 = `!{startDate,endDate:d`

const text6 = `,files_created,files_edited,git_commits,git_prs_created`

const text7 = `organization`

const text8 = ` the Manager or Owner role`

const text9 = `{data:[{date`

const text10 = `v0/computers/{computerId}`

const text11 = `,childInclusiveTokenUsageBySessionId?:`

const text12 = `v1/analytics/`

const text13 = `?:[!{type:(base64),data,mediaType?`

const text14 = `,daily_active_users`

const text15 = `v0/wiki/{wikiRunId}`

const text16 = `,id?:s}|{type:`

const text22 = `messages`

const text17 = `v0/sessions/{sessionId}/${text22}`

const text18 = `v0/${text7}/usage/limits/`

const text19 = `s,billable_tokens`

const text21 = `:s,count:n}]`

const text23 = `,computerId?:s,`

const text24 = `limit?:i(1-100),cursor?`

const text25 = `,createdAt,updatedAt,`

const text26 = `service accounts need`

const text27 = `{name:s,metadata?:o}]`

const text28 = `:s,invocations:n}],`

const text30 = `{email:s,limit:i0}]`

const text31 = `${text5},groupBy?:(`

const text32 = `${text9},group_key:`

const text33 = `,sessionSettings?:`

const text34 = `v0/automations/ci/`

const text35 = `,tool_calls`

const object0 = { '403': `enabled for selected ${text7}s only` }

const object1 = { '403': `only your own computers; those of ${text26}${text8}` }

const object2 = { '403': `the ${text7} has switched off cloud sync of wikis` }

const object3 = { groupBy: `group_by` }

const object4 = { '400': `days are in UTC, from 2026-01-14 to yesterday`, '403': `needs${text8}` }

export const operations: OperationTree = {
  serviceAccounts: {
    keys: {
      rotate: [`POST v0/service-accounts/{serviceAccountId}/api-keys/{keyId}/rotate`, `!{expiresAt?:i(1-),gracePeriodMinutes?:i(0-10)}`, `{apiKey:{id,value,fingerprint,name:s(1-),expiresAt?:n}}`, { strictInput: true, hints: { '400': `the grace period must not outlast the expiry of the key`, '403': `${text26} an enterprise plan and${text8}` } }],
    },
  },
  organization: {
    limits: {
      getGlobal: [`${text18}global`, ``, `{limit:i0(0-)}`],
      setGlobal: [`PUT ${text18}global`, `!{limit:i0(1000000-)}`, `{limit:i0(0-)}`],
      setUsers: [`PUT ${text18}users`, `!{users:[!${text30}(1-100)}`, `{updated:[${text30},errors:[{email,error:s}]}`],
    },
    users: {
      remove: [`DELETE v0/${text7}/users`, `!{email:e}`, `{}`],
    },
  },
  sessions: {
    create: [`POST v0/sessions`, `!{computerId:s,cwd?:s(1-4096)${text33}!${text0}!${text27}${text11}o}}`, `{sessionId,status,title?${text23}messageCount${text25}completedAt?:i${text33}${text0}${text27},tokenUsage?,inclusiveTokenUsage?:${text3}${text11}<${text3}>}}`, { success: [201], hints: object0 }],
    messages: {
      add: [`POST ${text17}`, `!{text${text23}images${text13}:s}],files${text13},parsedData?,name?,path?:s}]}`, `{messageId,status:s}`, { hints: object0 }],
      list: [text17, `!{${text24}${text23}role?:(user|assistant|tool)}`, `{${text22}:[{id,role,parentId?,userMessageSource?,visibility?,modelId?,routerId?${text20}${text29}chatCompletionReasoningField?,chatCompletionReasoningContent?,parallelGroupId?,hookEventName?,hookMatcher?,hookToolCallId?,hookStatus?,providerMessageId~,providerPhase~,providerEncryptedContent~,providerReasoningId~,providerReasoningSummary~,providerThoughtSignature~:s,content:[{type:(text),text${text16}(image)${text16}(thinking),thinking,signature?,id?:s,durationMs?:n}|{type:(redacted_thinking)${text16}(tool_use),id,name:s}|{type:(tool_result),toolUseId,id?:s,isError?:b}|{type:(document),name?${text16}s}]${text25}hookStartTime?,hookEndTime?:n,isUserVisible?,hiddenFromUserViews?,isError?,isParallelExecution?:b,hookCommands?:[{command?:s,timeout?:n}],hookResults?:[{exitCode?:n,stdout?,stderr?:s,suppressOutput?:b}]}],pagination:{hasMore:b,nextCursor?:s0}}`, { hints: object0, page: { items: text22, next: `pagination.nextCursor`, hasMore: `pagination.hasMore`, cursor: `cursor` } }],
    },
  },
  computers: {
    getByName: [`v0/computers/name/{name}`, ``, text1, { params: `!{name:s(1-63)}` }],
    get: [text10, ``, text1, { hints: object1 }],
    refresh: [`POST ${text10}/refresh`, ``, `{configured:i}`, { hints: object1 }],
    delete: [`DELETE ${text10}`, ``, `{}`, { hints: object1 }],
  },
  automations: {
    ci: {
      repositories: [`${text34}repositories`, `{}`],
      scan: [`${text34}scan`, `{}`],
    },
  },
  wiki: {
    create: [`POST v0/wiki`, `{}`, ``, { hints: object2 }],
    get: [text15, `{}`, ``, { hints: object2 }],
    search: [`${text15}/search`, `{}`, ``, { hints: object2 }],
    setPrivacy: [`POST ${text15}/privacy`, `{}`, ``, { hints: object2 }],
  },
  analytics: {
    tokens: [`${text12}tokens`, `${text31}model)}`, `${text9}:${text19}${text4},by_model?,by_user?:a${text2}}}`, { wire: object3, groupedResponse: `${text32}${text19}?${text4}${text2}}}`, hints: object4 }],
    tools: [`${text12}tools`, `${text31}tool_name)}`, `${text9}:s${text35},mcp_users_with_mcp?,skills_invocations?,slash_commands_invocations?,hooks_invocations?,web_users?,autonomy_ratio_avg?,autonomy_ratio_p50?,autonomy_ratio_p90?${text35}_per_session_avg?,user_turns_per_session_avg?:n,by_tool?:[{tool${text28}mcp_by_server?:[{server${text28}skills_by_name?,slash_commands_by_name?:[{name${text21},hooks_by_event?:[{event,matcher?,command?${text21},tool_autonomy_level_ratio?:{auto_high?,auto_medium?,auto_low?,manual?:n}${text2}}}`, { wire: object3, groupedResponse: `${text32}s${text35}:n${text2}}}`, hints: object4 }],
    activity: [`${text12}activity`, `${text31}client)}`, `${text9}:s${text14},weekly_active_users?,monthly_active_users?,sessions?,${text22}?,user_${text22}?:n${text14}_by_client?:<n>${text2}}}`, { wire: object3, groupedResponse: `${text32}s${text14}:n${text2}}}`, hints: object4 }],
    productivity: [`${text12}productivity`, `${text5}}`, `${text9}:s${text6}:n,by_extension:[{extension${text21},by_language:[{language${text21}${text2}}}`, { hints: object4 }],
    users: [`${text12}users`, `${text5},${text24}:s}`, `{data:[{user_id,date,primary_model,primary_model_tier,delegation_level:s,user_email:s0,tool_call${text19}${text6},mcp_calls,skill_calls,slash_commands,hooks,sessions,${text22},user_${text22},assistant_${text22},autonomy_ratio:n,languages:[s]${text2},has_more?:b,next_cursor?:s0}}`, { hints: object4, page: { items: `data`, next: `meta.next_cursor`, hasMore: `meta.has_more`, cursor: `cursor` } }],
  },
  readiness: {
    reports: [`${text7}/maturity-level-reports`, `!{repoId?,startAfter?:s,limit?:i(1-)}`, `{reports:[{reportId:u,createdAt:n,repoUrl,commitHash?,branch?,droidVersion?:s,apps:<{description:s}>,report:<{numerator:n(0-denominator),denominator:n(1-),rationale:s}>,hasLocalChanges?,hasNonRemoteCommits?:b,modelUsed?:{id${text20}:s}}]}`, { alternatePath: `/api/${text7}/agent-readiness-reports`, host: `app`, hints: { '404': `not found at any known path: check appUrl and paths` }, page: { items: `reports`, next: `reports.-1.reportId`, cursor: `startAfter` } }],
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
