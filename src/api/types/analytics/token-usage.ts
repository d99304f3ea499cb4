// Written by `npm run gen` from the table in src/api/endpoints/.

export interface TokenUsageResponse {
  /** One row per day, or per group or user and day. */
  data: TokenUsageRow[]
  /** Organization and period of the rows. */
  meta: AnalyticsMeta
}

export interface TokenUsageRow {
  /** Day, YYYY-MM-DD in UTC. */
  date: string
  /** Credits used, with cache discounts. */
  billable_tokens: number
  /** Tokens sent to models. */
  input_tokens?: number
  /** Tokens written by models. */
  output_tokens?: number
  /** Tokens read from prompt caches. */
  cache_read_tokens?: number
  /** Tokens written to prompt caches. */
  cache_write_tokens?: number
  /** The same counts by model. */
  by_model?: unknown[]
  /** The same counts by user. */
  by_user?: unknown[]
}

export interface AnalyticsMeta {
  /** Organization ID. */
  org_id: string
  /** First day, YYYY-MM-DD in UTC. */
  start_date: string
  /** Last day, YYYY-MM-DD in UTC. */
  end_date: string
}

export interface GroupedTokenUsageResponse {
  /** One row per day, or per group or user and day. */
  data: GroupedTokenUsageRow[]
  /** Organization and period of the rows. */
  meta: AnalyticsMeta
}

export interface GroupedTokenUsageRow {
  /** Day, YYYY-MM-DD in UTC. */
  date: string
  /** Value of the grouped dimension. */
  group_key: string
  /** Credits used, with cache discounts. */
  billable_tokens?: number
  /** Tokens sent to models. */
  input_tokens?: number
  /** Tokens written by models. */
  output_tokens?: number
  /** Tokens read from prompt caches. */
  cache_read_tokens?: number
  /** Tokens written to prompt caches. */
  cache_write_tokens?: number
}
