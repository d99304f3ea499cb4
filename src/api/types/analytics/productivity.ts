// Written by `npm run gen` from the table in src/api/endpoints/.
import type { AnalyticsMeta } from './token-usage.ts'

export interface ProductivityResponse {
  /** One row per day, or per group or user and day. */
  data: ProductivityRow[]
  /** Organization and period of the rows. */
  meta: AnalyticsMeta
}

export interface ProductivityRow {
  /** Day, YYYY-MM-DD in UTC. */
  date: string
  /** Files created. */
  files_created: number
  /** Files edited. */
  files_edited: number
  /** Files by extension. */
  by_extension: ProductivityRowByExtension[]
  /** Files by language. */
  by_language: ProductivityRowByLanguage[]
  /** Git commits. */
  git_commits: number
  /** Pull requests created. */
  git_prs_created: number
}

export interface ProductivityRowByExtension {
  /** File extension. */
  extension: string
  /** How often it was used. */
  count: number
}

export interface ProductivityRowByLanguage {
  /** Language. */
  language: string
  /** How often it was used. */
  count: number
}
