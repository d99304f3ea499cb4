// Written by `npm run gen` from the table in src/api/endpoints/.
import type { AnalyticsMeta } from './token-usage.ts'

export interface ActivityResponse {
  /** One row per day, or per group or user and day. */
  data: ActivityRow[]
  /** Organization and period of the rows. */
  meta: AnalyticsMeta
}

export interface ActivityRow {
  /** Day, YYYY-MM-DD in UTC. */
  date: string
  /** Users active on the day. */
  daily_active_users: number
  /** Users active in the 7 days up to the day. */
  weekly_active_users?: number
  /** Users active in the 30 days up to the day. */
  monthly_active_users?: number
  /** Users by client: terminal-ui, web, non-interactive-cli. */
  daily_active_users_by_client?: Record<string, number>
  /** Sessions started. */
  sessions?: number
  /** Messages of users and assistants. */
  messages?: number
  /** Messages of users. */
  user_messages?: number
}

export interface GroupedActivityResponse {
  /** One row per day, or per group or user and day. */
  data: GroupedActivityRow[]
  /** Organization and period of the rows. */
  meta: AnalyticsMeta
}

export interface GroupedActivityRow {
  /** Day, YYYY-MM-DD in UTC. */
  date: string
  /** Value of the grouped dimension. */
  group_key: string
  /** Users active on the day. */
  daily_active_users: number
}
