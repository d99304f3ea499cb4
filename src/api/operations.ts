// Written by `npm run gen` from the table in src/api/endpoints/.
import type { OperationTree } from './operation.ts'

const text19 = `computerId?:s`

const text35 = `,createdAt,updatedAt,`

const text33 = `sessionSettings`

const text31 = `,reasoningEffort`

const text39 = `?,interactionMode?,`

const text2 = `{model?,specModeModel?,providerLockTimestamp?,archivedAt?,compactionModel?${text31}?,specModeReasoningEffort${text39}autonomyLevel?,autonomyMode?,providerLock?,apiProviderLock?:s,runInWorktree?,compactionThresholdCheckEnabled?:b,assistantActiveTimeMs?:n,enabledToolIds?,disabledToolIds?:[s],tags?:[`

const text22 = `{name:s,metadata?:o}]`

const text6 = `{inputTokens?,outputTokens?,cacheCreationTokens?,cacheReadTokens?,thinkingTokens?,credits~:n}`

const text10 = `,childInclusiveTokenUsageBySessionId?:`

const text0 = `{sessionId,status,title?,${text19},messageCount${text35}completedAt?:i,${text33}?:${text2}${text22},tokenUsage?,inclusiveTokenUsage?:${text6}${text10}<${text6}>}}`

const text27 = `,id?:s}|{type:`

const text1 = `{id,role,parentId?,userMessageSource?,visibility?,modelId?,routerId?${text31}${text39}chatCompletionReasoningField?,chatCompletionReasoningContent?,parallelGroupId?,hookEventName?,hookMatcher?,hookToolCallId?,hookStatus?,providerMessageId~,providerPhase~,providerEncryptedContent~,providerReasoningId~,providerReasoningSummary~,providerThoughtSignature~:s,content:[{type:(text),text${text27}(image)${text27}(thinking),thinking,signature?,id?:s,durationMs?:n}|{type:(redacted_thinking)${text27}(tool_use),id,name:s}|{type:(tool_result),toolUseId,id?:s,isError?:b}|{type:(document),name?${text27}s}]${text35}hookStartTime?,hookEndTime?:n,isUserVisible?,hiddenFromUserViews?,isError?,isParallelExecution?:b,hookCommands?:[{command?:s,timeout?:n}],hookResults?:[{exitCode?:n,stdout?,stderr?:s,suppressOutput?:b}]}`

const text3 = `{id,providerType,status?,relayClientUrl?,relayAgentUrl?,remoteUser?,ownerPrincipalKind?,ownerId?:s,name:s(1-63),createdAt:n,hostId?:u,provisioningSteps?:[{id?,name?,status?,error?,installSessionId?:s,startedAt?,completedAt?:n}],clonedRepoDirectories?:[s],computerSource?:{kind:(template),templateId:s}|{kind?:s}}`

const text4 = `}],meta:{org_id,start_date,end_date:s`

const text34 = `sessions`

const text5 = `v0/${text34}/{sessionId}`

const text7 = `v0/service-accounts/{serviceAccountId}/api-keys`

const text16 = `organization`

const text8 = `v0/${text16}/usage/limits/`

const text9 = `],pagination:{hasMore:b,nextCursor?:s0}}`

const text11 = `,input_tokens?,output_tokens?,cache_read_tokens?,cache_write_tokens?:n`

const text12 = `!{startDate,endDate:d`

const text36 = `computers`

const text13 = `v0/${text36}/{computerId}`

const text14 = `limit?:i(1-100),cursor?`

const text15 = `,files_created,files_edited,git_commits,git_prs_created`

const text17 = ` the Manager or Owner role`

const text18 = `{data:[{date`

const text20 = `pagination.nextCursor`

const text21 = `v1/analytics/`

const text23 = `?:[!{type:(base64),data,mediaType?`

const text24 = `,daily_active_users`

const text25 = `v0/wiki/{wikiRunId}`

const text26 = `{email:s,limit:i0}]`

const text28 = `messages`

const text29 = `pagination.hasMore`

const text30 = `s,billable_tokens`

const text32 = `:s,count:n}]`

const text37 = `service accounts need`

const text38 = `:s,invocations:n}],`

const text40 = `${text12},groupBy?:(`

const text41 = `${text18},group_key:`

const text42 = `v0/automations/ci/`

const text43 = `,tool_calls`

const object0 = { '403': `enabled for selected ${text16}s only` }

const object1 = { '403': `only your own ${text36}; those of ${text37}${text17}` }

const object2 = { '403': `the ${text16} has switched off cloud sync of wikis` }

const object3 = { groupBy: `group_by` }

const object4 = { '400': `days are in UTC, from 2026-01-14 to yesterday`, '403': `needs${text17}` }

export const operations: OperationTree = {
  serviceAccounts: {
    keys: {
      rotate: [`POST ${text7}/{keyId}/rotate`, `!{expiresAt?:i(1-),gracePeriodMinutes?:i(0-10)}`, `{apiKey:{id,value,fingerprint,name:s(1-),expiresAt?:n}}`, { strictInput: true, hints: { '400': `the grace period must not outlast the expiry of the key`, '403': `${text37} an enterprise plan and${text17}` } }],
    },
  },
  organization: {
    limits: {
      getGlobal: [`${text8}global`, ``, `{limit:i0(0-)}`],
      setGlobal: [`PUT ${text8}global`, `!{limit:i0(1000000-)}`, `{limit:i0(0-)}`],
      setUsers: [`PUT ${text8}users`, `!{users:[!${text26}(1-100)}`, `{updated:[${text26},errors:[{email,error:s}]}`],
    },
    users: {
      remove: [`DELETE v0/${text16}/users`, `!{email:e}`, `{}`],
    },
  },
  sessions: {
    create: [`POST v0/${text34}`, `!{computerId:s,cwd?:s(1-4096),${text33}?:!${text2}!${text22}${text10}o}}`, text0, { success: [201], hints: object0 }],
    messages: {
      add: [`POST ${text5}/${text28}`, `!{text,${text19},images${text23}:s}],files${text23},parsedData?,name?,path?:s}]}`, `{messageId,status:s}`, { hints: object0 }],
      list: [`${text5}/${text28}`, `!{${text14},${text19},role?:(user|assistant|tool)}`, `{${text28}:[${text1}${text9}`, { hints: object0, page: { items: text28, next: text20, hasMore: text29, cursor: `cursor` } }],
    },
  },
  computers: {
    getByName: [`v0/${text36}/name/{name}`, ``, text3, { params: `!{name:s(1-63)}` }],
    get: [text13, ``, text3, { hints: object1 }],
    refresh: [`POST ${text13}/refresh`, ``, `{configured:i}`, { hints: object1 }],
    delete: [`DELETE ${text13}`, ``, `{}`, { hints: object1 }],
  },
  automations: {
    ci: {
      repositories: [`${text42}repositories`, `{}`],
      scan: [`${text42}scan`, `{}`],
    },
  },
  wiki: {
    create: [`POST v0/wiki`, `{}`, ``, { hints: object2 }],
    get: [text25, `{}`, ``, { hints: object2 }],
    search: [`${text25}/search`, `{}`, ``, { hints: object2 }],
    setPrivacy: [`POST ${text25}/privacy`, `{}`, ``, { hints: object2 }],
  },
  analytics: {
    tokens: [`${text21}tokens`, `${text40}model)}`, `${text18}:${text30}${text11},by_model?,by_user?:a${text4}}}`, { wire: object3, groupedResponse: `${text41}${text30}?${text11}${text4}}}`, hints: object4 }],
    tools: [`${text21}tools`, `${text40}tool_name)}`, `${text18}:s${text43},mcp_users_with_mcp?,skills_invocations?,slash_commands_invocations?,hooks_invocations?,web_users?,autonomy_ratio_avg?,autonomy_ratio_p50?,autonomy_ratio_p90?${text43}_per_session_avg?,user_turns_per_session_avg?:n,by_tool?:[{tool${text38}mcp_by_server?:[{server${text38}skills_by_name?,slash_commands_by_name?:[{name${text32},hooks_by_event?:[{event,matcher?,command?${text32},tool_autonomy_level_ratio?:{auto_high?,auto_medium?,auto_low?,manual?:n}${text4}}}`, { wire: object3, groupedResponse: `${text41}s${text43}:n${text4}}}`, hints: object4 }],
    activity: [`${text21}activity`, `${text40}client)}`, `${text18}:s${text24},weekly_active_users?,monthly_active_users?,${text34}?,${text28}?,user_${text28}?:n${text24}_by_client?:<n>${text4}}}`, { wire: object3, groupedResponse: `${text41}s${text24}:n${text4}}}`, hints: object4 }],
    productivity: [`${text21}productivity`, `${text12}}`, `${text18}:s${text15}:n,by_extension:[{extension${text32},by_language:[{language${text32}${text4}}}`, { hints: object4 }],
    users: [`${text21}users`, `${text12},${text14}:s}`, `{data:[{user_id,date,primary_model,primary_model_tier,delegation_level:s,user_email:s0,tool_call${text30}${text15},mcp_calls,skill_calls,slash_commands,hooks,${text34},${text28},user_${text28},assistant_${text28},autonomy_ratio:n,languages:[s]${text4},has_more?:b,next_cursor?:s0}}`, { hints: object4, page: { items: `data`, next: `meta.next_cursor`, hasMore: `meta.has_more`, cursor: `cursor` } }],
  },
  readiness: {
    reports: [`${text16}/maturity-level-reports`, `!{repoId?,startAfter?:s,limit?:i(1-)}`, `{reports:[{reportId:u,createdAt:n,repoUrl,commitHash?,branch?,droidVersion?:s,apps:<{description:s}>,report:<{numerator:n(0-denominator),denominator:n(1-),rationale:s}>,hasLocalChanges?,hasNonRemoteCommits?:b,modelUsed?:{id${text31}:s}}]}`, { alternatePath: `/api/${text16}/agent-readiness-reports`, host: `app`, hints: { '404': `not found at any known path: check appUrl and paths` }, page: { items: `reports`, next: `reports.-1.reportId`, cursor: `startAfter` } }],
  },
  beyond: {
    sessions: {
      list: [`v0/${text34}`, `!{${text14},${text19}}`, `{${text34}:[${text0}${text9}`, { page: { items: text34, next: text20, hasMore: text29, cursor: `cursor` } }],
      get: [text5, `!{${text19}}`, text0],
      update: [`PATCH ${text5}`, `!{${text33}:!${text2}!${text22}${text10}o}}`, ``, { retry: `never` }],
      delete: [`DELETE ${text5}`, ``, `{}`],
      interrupt: [`POST ${text5}/interrupt`, ``, `{status:s}`],
      message: [`${text5}/${text28}/{messageId}`, `!{${text19}}`, text1],
    },
    computers: {
      list: [`v0/${text36}`, `!{hostId?:u,includeProvisioningSteps?:(true|false)}`, `{${text36}:[${text3}]}`],
      restart: [`POST ${text13}/restart`, ``, `{}`],
    },
    users: {
      list: [`v0/${text16}/users`, `!{${text14}:s}`, `{users:[{id,email:s,firstName?,lastName?:s0}${text9}`, { page: { items: `users`, next: text20, hasMore: text29, cursor: `cursor` } }],
      invite: [`POST v0/${text16}/users/invite`, `!{email:e,role?:(user|manager|owner)}`, `{email,role,status,error?:s}`],
      limits: [`${text8}users`, ``, `{globalLimit:i0,userLimits:[${text26}}`],
    },
    keys: {
      list: [text7],
      revoke: [`POST ${text7}/{keyId}/revoke`, ``, `{}`, { success: [204], retry: `safe` }],
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
  | 'beyond.sessions.list'
  | 'beyond.sessions.get'
  | 'beyond.sessions.update'
  | 'beyond.sessions.delete'
  | 'beyond.sessions.interrupt'
  | 'beyond.sessions.message'
  | 'beyond.computers.list'
  | 'beyond.computers.restart'
  | 'beyond.users.list'
  | 'beyond.users.invite'
  | 'beyond.users.limits'
  | 'beyond.keys.list'
  | 'beyond.keys.revoke'
