import * as z from 'zod'
import { once } from '../once.ts'
import {
  ActivityRow,
  AnalyticsMeta,
  AnalyticsPageMeta,
  envelope,
  GroupedActivityRow,
  GroupedTokenUsageRow,
  GroupedToolUsageRow,
  ProductivityRow,
  TokenUsageRow,
  ToolUsageRow,
  UserActivityRow,
} from '../schemas/analytics.ts'
import { endpoint } from './endpoint.ts'

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
