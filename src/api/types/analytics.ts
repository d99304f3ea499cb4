// Written by `npm run gen` from the table in src/api/endpoints/.
import type { ApiPromise } from '../core/api-promise.ts'
import type { CallOptions } from '../core/options.ts'
import type { PageList } from '../core/page.ts'
import type { GroupedTokenUsageResponse, TokenUsageResponse } from './analytics/token-usage.ts'
import type { GroupedToolUsageResponse, ToolUsageResponse } from './analytics/tool-usage.ts'
import type { ActivityResponse, GroupedActivityResponse } from './analytics/activity.ts'
import type { ProductivityResponse } from './analytics/productivity.ts'
import type { UserActivityResponse, UserActivityRow } from './analytics/user-activity.ts'

/** Input of `analytics.tokens`. */
export interface TokenUsageInput {
  /** First day, YYYY-MM-DD in UTC. @format date */
  startDate: string
  /** Last day, YYYY-MM-DD in UTC. @format date */
  endDate: string
  /** If left out, the rows are not grouped. */
  groupBy?: undefined
}

/** Input of `analytics.tokens`. With groups. */
export interface GroupedTokenUsageInput {
  /** First day, YYYY-MM-DD in UTC. @format date */
  startDate: string
  /** Last day, YYYY-MM-DD in UTC. @format date */
  endDate: string
  /** One row per value of this dimension and day. */
  groupBy: 'model'
}

/** Input of `analytics.tools`. */
export interface ToolUsageInput {
  /** First day, YYYY-MM-DD in UTC. @format date */
  startDate: string
  /** Last day, YYYY-MM-DD in UTC. @format date */
  endDate: string
  /** If left out, the rows are not grouped. */
  groupBy?: undefined
}

/** Input of `analytics.tools`. With groups. */
export interface GroupedToolUsageInput {
  /** First day, YYYY-MM-DD in UTC. @format date */
  startDate: string
  /** Last day, YYYY-MM-DD in UTC. @format date */
  endDate: string
  /** One row per value of this dimension and day. */
  groupBy: 'tool_name'
}

/** Input of `analytics.activity`. */
export interface ActivityInput {
  /** First day, YYYY-MM-DD in UTC. @format date */
  startDate: string
  /** Last day, YYYY-MM-DD in UTC. @format date */
  endDate: string
  /** If left out, the rows are not grouped. */
  groupBy?: undefined
}

/** Input of `analytics.activity`. With groups. */
export interface GroupedActivityInput {
  /** First day, YYYY-MM-DD in UTC. @format date */
  startDate: string
  /** Last day, YYYY-MM-DD in UTC. @format date */
  endDate: string
  /** One row per value of this dimension and day. */
  groupBy: 'client'
}

/** Input of `analytics.productivity`. */
export interface ProductivityInput {
  /** First day, YYYY-MM-DD in UTC. @format date */
  startDate: string
  /** Last day, YYYY-MM-DD in UTC. @format date */
  endDate: string
}

/** Input of `analytics.users`. */
export interface UserActivityInput {
  /** First day, YYYY-MM-DD in UTC. @format date */
  startDate: string
  /** Last day, YYYY-MM-DD in UTC. @format date */
  endDate: string
  /** Page size, 1 to 100. @minimum 1 @maximum 100 @default 20 */
  limit?: number | undefined
  /** Cursor from the previous page: a user ID. */
  cursor?: string | undefined
}

/** Usage and activity of the organization, by day. */
export interface AnalyticsApi {
  /**
   * Credits and tokens used, by day.
   *
   * `GET /api/v1/analytics/tokens`
   */
  tokens(input: TokenUsageInput, options?: CallOptions): ApiPromise<TokenUsageResponse>
  /**
   * Credits and tokens used, by day. Grouped: one row per value of the dimension and day.
   *
   * `GET /api/v1/analytics/tokens`
   */
  tokens(input: GroupedTokenUsageInput, options?: CallOptions): ApiPromise<GroupedTokenUsageResponse>
  /**
   * Credits and tokens used, by day.
   *
   * `GET /api/v1/analytics/tokens`
   */
  tokens(input: TokenUsageInput | GroupedTokenUsageInput, options?: CallOptions): ApiPromise<TokenUsageResponse | GroupedTokenUsageResponse>
  /**
   * Tool calls, MCP servers, skills, commands and hooks, by day.
   *
   * `GET /api/v1/analytics/tools`
   */
  tools(input: ToolUsageInput, options?: CallOptions): ApiPromise<ToolUsageResponse>
  /**
   * Tool calls, MCP servers, skills, commands and hooks, by day. Grouped: one row per value of the dimension and day.
   *
   * `GET /api/v1/analytics/tools`
   */
  tools(input: GroupedToolUsageInput, options?: CallOptions): ApiPromise<GroupedToolUsageResponse>
  /**
   * Tool calls, MCP servers, skills, commands and hooks, by day.
   *
   * `GET /api/v1/analytics/tools`
   */
  tools(input: ToolUsageInput | GroupedToolUsageInput, options?: CallOptions): ApiPromise<ToolUsageResponse | GroupedToolUsageResponse>
  /**
   * Active users, sessions and messages, by day.
   *
   * `GET /api/v1/analytics/activity`
   */
  activity(input: ActivityInput, options?: CallOptions): ApiPromise<ActivityResponse>
  /**
   * Active users, sessions and messages, by day. Grouped: one row per value of the dimension and day.
   *
   * `GET /api/v1/analytics/activity`
   */
  activity(input: GroupedActivityInput, options?: CallOptions): ApiPromise<GroupedActivityResponse>
  /**
   * Active users, sessions and messages, by day.
   *
   * `GET /api/v1/analytics/activity`
   */
  activity(input: ActivityInput | GroupedActivityInput, options?: CallOptions): ApiPromise<ActivityResponse | GroupedActivityResponse>
  /**
   * Files, commits and pull requests, by day.
   *
   * `GET /api/v1/analytics/productivity`
   */
  productivity(input: ProductivityInput, options?: CallOptions): ApiPromise<ProductivityResponse>
  /**
   * What each user did, by day, page by page.
   *
   * `GET /api/v1/analytics/users`
   */
  users(input: UserActivityInput, options?: CallOptions): PageList<UserActivityResponse, UserActivityRow>
}
