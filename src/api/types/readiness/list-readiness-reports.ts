// Written by `npm run gen` from the table in src/api/endpoints/.
import type { Open } from '../open.ts'

export interface ListReadinessReportsResponse {
  /** Reports of this page. */
  reports: ReadinessReport[]
}

export interface ReadinessReport {
  /** Report ID. @format uuid */
  reportId: string
  /** When the report was made, in Unix milliseconds. */
  createdAt: number
  /** Repository that was evaluated. */
  repoUrl: string
  /** Applications by path. */
  apps: Record<string, ReadinessReportApp>
  /** Evaluations by criterion ID. */
  report: Record<string, ReadinessReportReport>
  /** Commit that was evaluated. */
  commitHash?: string
  /** Branch that was evaluated. */
  branch?: string
  /** Whether uncommitted changes existed. */
  hasLocalChanges?: boolean
  /** Whether unpushed commits existed. */
  hasNonRemoteCommits?: boolean
  /** Model that made the report. */
  modelUsed?: ReadinessReportModelUsed
  /** Client version that made the report. */
  droidVersion?: string
}

export interface ReadinessReportApp {
  /** What the application is. */
  description: string
}

export interface ReadinessReportReport {
  /** Points reached, 0 to denominator. @minimum 0 */
  numerator: number
  /** Points that can be reached. @minimum 1 */
  denominator: number
  /** Reason for the score. */
  rationale: string
}

/** Model that made the report. */
export interface ReadinessReportModelUsed {
  /** ID of the model. */
  id: string
  /** How much the model reasoned. */
  reasoningEffort: Open<'low' | 'medium' | 'high' | 'off'>
}
