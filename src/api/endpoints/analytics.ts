import * as z from 'zod'
import { once } from '../record.ts'
import { endpoint } from './endpoint.ts'
import { openEnum } from './open.ts'

const count = (description: string) => z.number().describe(description)
const optionalCount = (description: string) => z.number().optional().describe(description)
const date = once(() => z.string().describe('Day, YYYY-MM-DD in UTC'))
const groupKey = once(() => z.string().describe('Value of the grouped dimension'))

function optionalList<Shape extends z.ZodRawShape>(description: string, shape: Shape) {
  return z.array(z.looseObject(shape)).optional().describe(description)
}

/** The envelope of an analytics response. */
function envelope<Row extends z.ZodType, Meta extends z.ZodType>(row: Row, meta: Meta) {
  return z.looseObject({
    data: z.array(row).describe('One row per day, or per group or user and day'),
    meta: meta.describe('Organization and period of the rows'),
  })
}

const metaFields = once(() => ({
  org_id: z.string().describe('Organization ID'),
  start_date: z.string().describe('First day, YYYY-MM-DD in UTC'),
  end_date: z.string().describe('Last day, YYYY-MM-DD in UTC'),
}))

const AnalyticsMeta = once(() => z.looseObject(metaFields()).meta({ id: 'AnalyticsMeta' }))

const AnalyticsPageMeta = once(() =>
  z
    .looseObject({
      ...metaFields(),
      // From the public documentation; the specification names `next_cursor` only.
      has_more: z.boolean().optional().describe('Whether there are more rows'),
      next_cursor: z.string().nullish().describe('Cursor of the next page: a user ID'),
    })
    .meta({ id: 'AnalyticsPageMeta' }),
)

const tokenCounts = once(() => ({
  input_tokens: optionalCount('Tokens sent to models'),
  output_tokens: optionalCount('Tokens written by models'),
  cache_read_tokens: optionalCount('Tokens read from prompt caches'),
  cache_write_tokens: optionalCount('Tokens written to prompt caches'),
}))

const TokenUsageRow = once(() =>
  z
    .looseObject({
      date: date(),
      billable_tokens: count('Credits used, with cache discounts'),
      ...tokenCounts(),
      by_model: z.array(z.unknown()).optional().describe('The same counts by model'),
      by_user: z.array(z.unknown()).optional().describe('The same counts by user'),
    })
    .meta({ id: 'TokenUsageRow' }),
)

// The specification does not show which metrics a grouped row has.
const GroupedTokenUsageRow = once(() =>
  z
    .looseObject({
      date: date(),
      group_key: groupKey(),
      billable_tokens: optionalCount('Credits used, with cache discounts'),
      ...tokenCounts(),
    })
    .meta({ id: 'GroupedTokenUsageRow' }),
)

const GroupedToolUsageRow = once(() =>
  z
    .looseObject({ date: date(), group_key: groupKey(), tool_calls: count('Tool calls') })
    .meta({ id: 'GroupedToolUsageRow' }),
)

const GroupedActivityRow = once(() =>
  z
    .looseObject({
      date: date(),
      group_key: groupKey(),
      daily_active_users: count('Users active on the day'),
    })
    .meta({ id: 'GroupedActivityRow' }),
)

const name = once(() => z.string().describe('Name'))
const uses = once(() => count('How often it was used'))

const ToolUsageRow = once(() =>
  z
    .looseObject({
      date: date(),
      tool_calls: count('Tool calls'),
      by_tool: optionalList('Tool calls by tool', {
        tool: z.string().describe('Tool'),
        invocations: uses(),
      }),
      mcp_users_with_mcp: optionalCount('Users who used an MCP server'),
      mcp_by_server: optionalList('Calls by MCP server', {
        server: z.string().describe('MCP server'),
        invocations: uses(),
      }),
      skills_invocations: optionalCount('Skills used'),
      skills_by_name: optionalList('Skills used, by name', { name: name(), count: uses() }),
      slash_commands_invocations: optionalCount('Slash commands used'),
      slash_commands_by_name: optionalList('Slash commands used, by name', {
        name: name(),
        count: uses(),
      }),
      hooks_invocations: optionalCount('Hooks run'),
      hooks_by_event: optionalList('Hooks run, by event', {
        event: z.string().describe('Hook event'),
        matcher: z.string().optional().describe('Matcher of the hook'),
        command: z.string().optional().describe('Command of the hook'),
        count: uses(),
      }),
      web_users: optionalCount('Users who used the web'),
      autonomy_ratio_avg: optionalCount('Tool calls per user turn, average'),
      autonomy_ratio_p50: optionalCount('Tool calls per user turn, median'),
      autonomy_ratio_p90: optionalCount('Tool calls per user turn, 90th percentile'),
      tool_calls_per_session_avg: optionalCount('Tool calls per session, average'),
      user_turns_per_session_avg: optionalCount('User turns per session, average'),
      tool_autonomy_level_ratio: z
        .looseObject({
          auto_high: optionalCount('Share at high autonomy'),
          auto_medium: optionalCount('Share at medium autonomy'),
          auto_low: optionalCount('Share at low autonomy'),
          manual: optionalCount('Share with confirmation'),
        })
        .optional()
        .describe('Tool calls by autonomy level'),
    })
    .meta({ id: 'ToolUsageRow' }),
)

const ActivityRow = once(() =>
  z
    .looseObject({
      date: date(),
      daily_active_users: count('Users active on the day'),
      weekly_active_users: optionalCount('Users active in the 7 days up to the day'),
      monthly_active_users: optionalCount('Users active in the 30 days up to the day'),
      daily_active_users_by_client: z
        .record(z.string(), z.number())
        .optional()
        .describe('Users by client: terminal-ui, web, non-interactive-cli'),
      sessions: optionalCount('Sessions started'),
      messages: optionalCount('Messages of users and assistants'),
      user_messages: optionalCount('Messages of users'),
    })
    .meta({ id: 'ActivityRow' }),
)

const ProductivityRow = once(() =>
  z
    .looseObject({
      date: date(),
      files_created: count('Files created'),
      files_edited: count('Files edited'),
      by_extension: z
        .array(z.looseObject({ extension: z.string().describe('File extension'), count: uses() }))
        .describe('Files by extension'),
      by_language: z
        .array(z.looseObject({ language: z.string().describe('Language'), count: uses() }))
        .describe('Files by language'),
      git_commits: count('Git commits'),
      git_prs_created: count('Pull requests created'),
    })
    .meta({ id: 'ProductivityRow' }),
)

const UserActivityRow = once(() =>
  z
    .looseObject({
      user_id: z.string().describe('User ID'),
      // By the public documentation, null for some users.
      user_email: z.string().nullable().describe('E-mail address of the user'),
      date: date(),
      tool_calls: count('Tool calls'),
      billable_tokens: count('Credits used'),
      files_created: count('Files created'),
      files_edited: count('Files edited'),
      git_commits: count('Git commits'),
      git_prs_created: count('Pull requests created'),
      mcp_calls: count('Calls to MCP servers'),
      skill_calls: count('Skills used'),
      slash_commands: count('Slash commands used'),
      hooks: count('Hooks run'),
      sessions: count('Sessions'),
      messages: count('Messages of the user and the assistant'),
      user_messages: count('Messages of the user'),
      assistant_messages: count('Messages of the assistant'),
      autonomy_ratio: count('Tool calls per user turn'),
      primary_model: z.string().describe('Model used most'),
      // `thinking`, and all levels but `auto-high`, are from the public documentation.
      primary_model_tier: openEnum(['standard', 'thinking']).describe('Tier of that model'),
      delegation_level: openEnum([
        'auto-high',
        'auto-medium',
        'auto-low',
        'spec',
        'manual',
      ]).describe('How much the user lets the agent do'),
      languages: z.array(z.string()).describe('Languages worked in'),
    })
    .meta({ id: 'UserActivityRow' }),
)

const period = once(() => ({
  startDate: z.iso.date('must be a day, YYYY-MM-DD').describe('First day, YYYY-MM-DD in UTC'),
  endDate: z.iso.date('must be a day, YYYY-MM-DD').describe('Last day, YYYY-MM-DD in UTC'),
}))

function groupBy<const Dimension extends string>(dimension: Dimension) {
  return z.enum([dimension]).optional().describe('One row per value of this dimension and day')
}

const wire = { groupBy: 'group_by' }

// All but 401 and 403 are from the public documentation.
const errors = {
  400: 'documentation',
  401: 'specification',
  403: 'specification',
  500: 'documentation',
} as const

const hints = {
  // From the public documentation.
  400: 'days are in UTC, from 2026-01-14 to yesterday',
  403: 'needs the Manager or Owner role',
}

export const analytics = {
  /** Credits and tokens used, by day. */
  tokens: endpoint({
    id: 'analytics.tokens',
    name: 'TokenUsage',
    method: 'GET',
    path: '/api/v1/analytics/tokens',
    host: 'base',
    summary: 'Credits and tokens used, by day.',
    description:
      'Credits are computed from raw input and output tokens, with discounts for cached ones. Grouped rows have a `group_key`.',
    example: { startDate: '2026-06-01', endDate: '2026-06-02', groupBy: 'model' },
    query: () => z.strictObject({ ...period(), groupBy: groupBy('model') }),
    wire,
    success: [200],
    response: () => envelope(TokenUsageRow(), AnalyticsMeta()),
    groupedResponse: () => envelope(GroupedTokenUsageRow(), AnalyticsMeta()),
    retry: 'safe',
    errors,
    hints,
  }),

  /** Tool calls, MCP servers, skills, commands and hooks, by day. */
  tools: endpoint({
    id: 'analytics.tools',
    name: 'ToolUsage',
    method: 'GET',
    path: '/api/v1/analytics/tools',
    host: 'base',
    summary: 'Tool calls, MCP servers, skills, commands and hooks, by day.',
    description: 'Grouped rows have the calls of one tool only.',
    example: { startDate: '2026-06-01', endDate: '2026-06-02', groupBy: 'tool_name' },
    query: () => z.strictObject({ ...period(), groupBy: groupBy('tool_name') }),
    wire,
    success: [200],
    response: () => envelope(ToolUsageRow(), AnalyticsMeta()),
    groupedResponse: () => envelope(GroupedToolUsageRow(), AnalyticsMeta()),
    retry: 'safe',
    errors,
    hints,
  }),

  /** Active users, sessions and messages, by day. */
  activity: endpoint({
    id: 'analytics.activity',
    name: 'Activity',
    method: 'GET',
    path: '/api/v1/analytics/activity',
    host: 'base',
    summary: 'Active users, sessions and messages, by day.',
    description:
      'Users active in 7 and 30 days are counted up to the day. Grouped rows have the users of one client only.',
    example: { startDate: '2026-06-01', endDate: '2026-06-02', groupBy: 'client' },
    query: () => z.strictObject({ ...period(), groupBy: groupBy('client') }),
    wire,
    success: [200],
    response: () => envelope(ActivityRow(), AnalyticsMeta()),
    groupedResponse: () => envelope(GroupedActivityRow(), AnalyticsMeta()),
    retry: 'safe',
    errors,
    hints,
  }),

  /** Files, commits and pull requests, by day. */
  productivity: endpoint({
    id: 'analytics.productivity',
    name: 'Productivity',
    method: 'GET',
    path: '/api/v1/analytics/productivity',
    host: 'base',
    summary: 'Files, commits and pull requests, by day.',
    description: 'Files are counted by extension and by language.',
    example: { startDate: '2026-06-01', endDate: '2026-06-02' },
    query: () => z.strictObject(period()),
    success: [200],
    response: () => envelope(ProductivityRow(), AnalyticsMeta()),
    retry: 'safe',
    errors,
    hints,
  }),

  /** What each user did, by day, page by page. */
  users: endpoint({
    id: 'analytics.users',
    name: 'UserActivity',
    method: 'GET',
    path: '/api/v1/analytics/users',
    host: 'base',
    summary: 'What each user did, by day, page by page.',
    description: 'The cursor is the ID of the last user of a page.',
    example: { startDate: '2026-06-01', endDate: '2026-06-02', limit: 2 },
    query: () =>
      z.strictObject({
        ...period(),
        limit: z
          .int()
          .min(1)
          .max(100)
          .optional()
          .meta({ description: 'Page size, 1 to 100', default: 20 }),
        cursor: z.string().optional().describe('Cursor from the previous page: a user ID'),
      }),
    success: [200],
    response: () => envelope(UserActivityRow(), AnalyticsPageMeta()),
    retry: 'safe',
    errors,
    hints,
    page: {
      items: 'data',
      next: 'meta.next_cursor',
      hasMore: 'meta.has_more',
      cursor: 'cursor',
    },
  }),
}
