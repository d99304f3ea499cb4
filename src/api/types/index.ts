// Written by `npm run gen` from the table in ../endpoints.
import type { ServiceAccountsApi } from './service-accounts.ts'
import type { OrganizationApi } from './organization.ts'
import type { SessionsApi } from './sessions.ts'
import type { ComputersApi } from './computers.ts'
import type { AutomationsApi } from './automations.ts'
import type { WikiApi } from './wiki.ts'
import type { AnalyticsApi } from './analytics.ts'
import type { ReadinessApi } from './readiness.ts'

export type * from './service-accounts.ts'
export type * from './service-accounts-responses.ts'
export type * from './organization.ts'
export type * from './organization-responses.ts'
export type * from './sessions.ts'
export type * from './sessions-responses.ts'
export type * from './computers.ts'
export type * from './computers-responses.ts'
export type * from './automations.ts'
export type * from './automations-responses.ts'
export type * from './wiki.ts'
export type * from './wiki-responses.ts'
export type * from './analytics.ts'
export type * from './analytics-responses.ts'
export type * from './readiness.ts'
export type * from './readiness-responses.ts'
export type { NoInput, Open, Unlisted } from './open.ts'

/** The methods of a client, one for each endpoint. */
export interface EndpointMethods {
  /** Keys of service accounts. */
  readonly serviceAccounts: ServiceAccountsApi
  /** Credit limits and users of the organization. */
  readonly organization: OrganizationApi
  /** Sessions of the agent, and what is said in them. */
  readonly sessions: SessionsApi
  /** Computers that sessions run on. */
  readonly computers: ComputersApi
  /** Repositories and CI workflows. */
  readonly automations: AutomationsApi
  /** Wiki runs. */
  readonly wiki: WikiApi
  /** What the organization did, by day. */
  readonly analytics: AnalyticsApi
  /** Agent-readiness reports. */
  readonly readiness: ReadinessApi
}
