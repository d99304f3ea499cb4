import type { Client } from '../../api/index.ts'
import { HookbellError } from '../../errors.ts'
import { asCount, asText, type Fields, fieldsOf, itemsOf } from './fields.ts'

/** What an organization did on one day. */
type UsageDay = { date: string } & Record<Measure, number>

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

/** A name and its count. Lists of shares have the highest count first. */
export interface Share {
  name: string
  count: number
}

export interface Usage {
  organization: string
  from: string
  to: string
  /** Sums over the period; for active users, the maximum on one day. */
  totals: Record<Measure, number>
  /** Users active in the 30 days up to the last one. */
  monthlyActiveUsers: number | null
  days: UsageDay[]
  creditsByModel: Share[]
  /** Only if requested, since it takes a request for every hundred rows. */
  creditsByUser?: Share[]
  toolCallsByTool: Share[]
  filesByLanguage: Share[]
}

/** Reads all figures of a period, with several requests at once. */
export async function readUsage(
  { analytics }: Client,
  period: Period,
  { withUsers = false }: { withUsers?: boolean } = {},
): Promise<Usage> {
  const { startDate, endDate } = period
  const range = { startDate, endDate }
  const [ofTokens, ofModels, ofTools, ofActivity, ofProductivity] = await Promise.all([
    analytics.tokens(range),
    analytics.tokens({ ...range, groupBy: 'model' }),
    analytics.tools(range),
    analytics.activity(range),
    analytics.productivity(range),
  ])
  const tokens = rowsOf('tokens', ofTokens)
  const models = rowsOf('tokens', ofModels)
  const tools = rowsOf('tools', ofTools)
  const activity = rowsOf('activity', ofActivity)
  const productivity = rowsOf('productivity', ofProductivity)
  const users = withUsers ? await analytics.users({ ...range, limit: 100 }).toArray() : undefined
  const lastRow = activity.find(({ date }) => date === endDate) ?? activity.at(-1)
  return {
    organization: asText(fieldsOf(ofTokens.meta).org_id),
    from: startDate,
    to: endDate,
    ...daysOf(period, { tokens, tools, activity, productivity }),
    monthlyActiveUsers: readMonth(lastRow),
    creditsByModel: sharesOf(models, 'group_key', 'billable_tokens'),
    ...(users ? { creditsByUser: sharesOf(users.map(nameUser), 'user', 'billable_tokens') } : {}),
    toolCallsByTool: sharesOf(listsIn(tools, 'by_tool'), 'tool', 'invocations'),
    filesByLanguage: sharesOf(listsIn(productivity, 'by_language'), 'language', 'count'),
  }
}

/** Names a user by the e-mail address, or by the ID if there is no address. */
function nameUser(row: unknown): Fields {
  const fields = fieldsOf(row)
  return { ...fields, user: fields.user_email ?? fields.user_id }
}

type Rows = Record<'tokens' | 'tools' | 'activity' | 'productivity', readonly Fields[]>

/** The rows and the field that hold each measure. */
const sources: Record<Measure, [keyof Rows, string]> = {
  credits: ['tokens', 'billable_tokens'],
  activeUsers: ['activity', 'daily_active_users'],
  sessions: ['activity', 'sessions'],
  messages: ['activity', 'messages'],
  toolCalls: ['tools', 'tool_calls'],
  filesCreated: ['productivity', 'files_created'],
  filesEdited: ['productivity', 'files_edited'],
  commits: ['productivity', 'git_commits'],
  pullRequests: ['productivity', 'git_prs_created'],
}

function rowsOf(name: keyof Rows, { data }: { data: unknown }): Fields[] {
  if (Array.isArray(data)) return itemsOf(data)
  const id = `analytics.${name}`
  throw new HookbellError('E_PROTOCOL', `usage: the response of ${id} has no list at "data"`, {
    hint: `To see what came: hookbell api ${id}`,
  })
}

/** A service may leave out days without figures. */
function daysOf({ days: dates }: Period, rows: Rows): Pick<Usage, 'days' | 'totals'> {
  const days = dates.map((date): UsageDay => {
    const counts = measures.map((measure) => {
      const [name, field] = sources[measure]
      const row = rows[name].find((candidate) => candidate.date === date)
      return [measure, asCount(row?.[field])]
    })
    return { date, ...Object.fromEntries(counts) }
  })
  return { totals: totalsOf(days), days }
}

function readMonth(row: Fields | undefined): number | null {
  const users = row?.monthly_active_users
  return typeof users === 'number' ? users : null
}

function listsIn(rows: readonly Fields[], field: string): Fields[] {
  return rows.flatMap((row) => itemsOf(row[field]))
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

function sharesOf(rows: readonly Fields[], nameField: string, countField: string): Share[] {
  const sums = new Map<string, number>()
  for (const row of rows) {
    const name = asText(row[nameField])
    if (name !== '') sums.set(name, (sums.get(name) ?? 0) + asCount(row[countField]))
  }
  const shares = [...sums].map(([name, count]) => ({ name, count }))
  return shares.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count)
}

const add = (sum: number, value: number) => sum + value

/** At most `maxRows` rows of shares that are sorted highest first. The last row combines all that do not fit. */
export function withRest(shares: readonly Share[], maxRows: number): readonly Share[] {
  if (shares.length <= maxRows) return shares
  const rest = shares.slice(maxRows - 1)
  const count = rest.map((share) => share.count).reduce(add, 0)
  return [...shares.slice(0, maxRows - 1), { name: `${rest.length} others`, count }]
}

/** A header, then a line for every day. Only dates and numbers, so that nothing needs quotes. */
export function renderCsv({ days }: Usage): string {
  const head = ['date', ...measures].join(',')
  const lines = days.map((day) => [day.date, ...measures.map((name) => day[name])].join(','))
  return [head, ...lines].join('\n')
}

/** Days as `YYYY-MM-DD` in UTC, oldest first. */
interface Period {
  startDate: string
  endDate: string
  days: readonly string[]
}

const DAY = 86_400_000

/** The last days that the service has figures for. It is one day behind, so they end yesterday. */
export function lastDays(count: number, now: number): Period {
  const end = Math.floor(now / DAY) * DAY - DAY
  const days = Array.from({ length: count }, (_, at) => dayOf(end - (count - 1 - at) * DAY))
  return { startDate: days[0] ?? dayOf(end), endDate: dayOf(end), days }
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
