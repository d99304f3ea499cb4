// Written by `npm run gen` from the table in src/api/endpoints/.
import type { ServiceAccountsApi } from './service-accounts.ts'
import type { OrganizationApi } from './organization.ts'
import type { SessionsApi } from './sessions.ts'
import type { ComputersApi } from './computers.ts'
import type { AutomationsApi } from './automations.ts'
import type { WikiApi } from './wiki.ts'
import type { AnalyticsApi } from './analytics.ts'
import type { ReadinessApi } from './readiness.ts'

export type * from './service-accounts.ts'
export type * from './service-accounts/rotate-key.ts'
export type * from './organization.ts'
export type * from './organization/get-global-limit.ts'
export type * from './organization/set-user-limits.ts'
export type * from './organization/remove-user.ts'
export type * from './sessions.ts'
export type * from './sessions/create-session.ts'
export type * from './sessions/add-message.ts'
export type * from './sessions/list-messages.ts'
export type * from './computers.ts'
export type * from './computers/get-computer-by-name.ts'
export type * from './computers/refresh-computer.ts'
export type * from './computers/delete-computer.ts'
export type * from './automations.ts'
export type * from './wiki.ts'
export type * from './analytics.ts'
export type * from './analytics/token-usage.ts'
export type * from './analytics/tool-usage.ts'
export type * from './analytics/activity.ts'
export type * from './analytics/productivity.ts'
export type * from './analytics/user-activity.ts'
export type * from './readiness.ts'
export type * from './readiness/list-readiness-reports.ts'
export type { NoInput, Open, Unlisted } from './open.ts'
export type { EndpointId } from './endpoint-id.ts'

/** The methods of a client, one for each endpoint. */
export interface EndpointMethods {
  /** Keys of service accounts. */
  readonly serviceAccounts: ServiceAccountsApi
  /** Credit limits and users of the organization. */
  readonly organization: OrganizationApi
  /** Sessions of the agent and their messages. */
  readonly sessions: SessionsApi
  /** Computers that sessions run on. */
  readonly computers: ComputersApi
  /** Repositories and CI workflows. */
  readonly automations: AutomationsApi
  /** Wiki runs. */
  readonly wiki: WikiApi
  /** Usage and activity of the organization, by day. */
  readonly analytics: AnalyticsApi
  /** Agent-readiness reports. */
  readonly readiness: ReadinessApi
}
