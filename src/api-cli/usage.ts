import type { Client } from '../api/index.ts'
import type { Period } from './period.ts'

/** What an organization did on one day. */
export type UsageDay = { date: string } & Record<Measure, number>

export const measures = [
  'credits',
  'activeUsers',
  'sessions',
  'messages',
  'toolCalls',
  'filesCreated',
  'filesEdited',
  'commits',
  'pullRequests',
] as const

export type Measure = (typeof measures)[number]

/** A name and how much of it there was, most first. */
export interface Share {
  name: string
  count: number
}

export interface Usage {
  organization: string
  from: string
  to: string
  /** Sums over the period; of active users the most on one day. */
  totals: Record<Measure, number>
  /** Users active in the 30 days up to the last one. */
  monthlyActiveUsers: number | null
  days: UsageDay[]
  creditsByModel: Share[]
  toolCallsByTool: Share[]
  filesByLanguage: Share[]
}

/** Asks the service for all figures of a period at once. */
export async function readUsage({ analytics }: Client, period: Period): Promise<Usage> {
  const { startDate, endDate } = period
  const range = { startDate, endDate }
  const [tokens, models, tools, activity, productivity] = await Promise.all([
    analytics.tokens(range),
    analytics.tokens({ ...range, groupBy: 'model' }),
    analytics.tools(range),
    analytics.activity(range),
    analytics.productivity(range),
  ])
  const days = period.days.map((date): UsageDay => {
    const rowOf = <Row extends { date: string }>({ data }: { data: Row[] }) =>
      data.find((row) => row.date === date)
    const [people, work] = [rowOf(activity), rowOf(productivity)]
    return {
      date,
      credits: rowOf(tokens)?.billable_tokens ?? 0,
      activeUsers: people?.daily_active_users ?? 0,
      sessions: people?.sessions ?? 0,
      messages: people?.messages ?? 0,
      toolCalls: rowOf(tools)?.tool_calls ?? 0,
      filesCreated: work?.files_created ?? 0,
      filesEdited: work?.files_edited ?? 0,
      commits: work?.git_commits ?? 0,
      pullRequests: work?.git_prs_created ?? 0,
    }
  })
  return {
    organization: tokens.meta?.org_id ?? '',
    from: startDate,
    to: endDate,
    totals: totalsOf(days),
    monthlyActiveUsers: activity.data.at(-1)?.monthly_active_users ?? null,
    days,
    creditsByModel: sharesOf(
      models.data.map((row) => [row.group_key ?? '', row.billable_tokens ?? 0]),
    ),
    toolCallsByTool: sharesOf(
      tools.data.flatMap(({ by_tool = [] }) => by_tool.map((one) => [one.tool, one.invocations])),
    ),
    filesByLanguage: sharesOf(
      productivity.data.flatMap((row) => row.by_language.map((one) => [one.language, one.count])),
    ),
  }
}

function totalsOf(days: readonly UsageDay[]): Record<Measure, number> {
  const totals = measures.map((measure) => {
    const values = days.map((day) => day[measure])
    // The same user is active on many days: a sum would count people twice.
    const total = measure === 'activeUsers' ? Math.max(0, ...values) : values.reduce(add, 0)
    return [measure, total]
  })
  return Object.fromEntries(totals)
}

function sharesOf(counts: readonly (readonly [string, number])[]): Share[] {
  const sums = new Map<string, number>()
  for (const [name, count] of counts) if (name) sums.set(name, (sums.get(name) ?? 0) + count)
  const shares = [...sums].map(([name, count]) => ({ name, count }))
  return shares.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count)
}

const add = (sum: number, value: number) => sum + value
