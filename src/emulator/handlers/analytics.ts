import { api } from '../../api/endpoints/index.ts'
import { requireManager } from '../auth.ts'
import { chosen } from '../choices.ts'
import { makeRandom, type Random } from '../random.ts'
import { ok, Problem } from '../reply.ts'
import type { Seed } from '../state/seed.ts'
import { type Context, handle } from '../world.ts'

const { tokens, tools, activity, productivity, users } = api.analytics

export const analytics = [
  handle(tokens, (input, context) => {
    const { days, meta, usersOn } = open(input, context)
    const rows = (day: string) => tokensByModel(day, usersOn(day))
    const row = (day: string) => tokensRow(day, usersOn(day))
    return ok({ data: input.groupBy ? days.flatMap(rows) : days.map(row), meta })
  }),

  handle(tools, (input, context) => {
    const { days, meta, usersOn } = open(input, context)
    const rows = (day: string) => toolsByName(day, usersOn(day))
    const row = (day: string) => toolsRow(day, usersOn(day))
    const data = input.groupBy ? days.flatMap(rows) : days.map(row)
    return ok(tools.response.parse({ data, meta }))
  }),

  handle(activity, (input, context) => {
    const { days, meta, usersOn } = open(input, context)
    const rows = (day: string) => activityByClient(day, usersOn(day))
    const row = (day: string) => activityRow(day, usersOn)
    return ok({ data: input.groupBy ? days.flatMap(rows) : days.map(row), meta })
  }),

  handle(productivity, (input, context) => {
    const { days, meta, usersOn } = open(input, context)
    return ok({ data: days.map((day) => productivityRow(day, usersOn(day))), meta })
  }),

  handle(users, (input, context) => {
    const { days, meta, usersOn } = open(input, context)
    const { cursor = '', limit = chosen.userPage.value } = input
    const rows = days.flatMap((day) => usersOn(day)).filter(({ userId }) => userId > cursor)
    const ids = [...new Set(rows.map(({ userId }) => userId))].sort()
    const page = ids.slice(0, limit)
    const data = page.flatMap((id) => rows.filter(({ userId }) => userId === id).map(userRow))
    const hasMore = ids.length > limit
    const next = hasMore ? (page.at(-1) ?? null) : null
    return ok({ data, meta: { ...meta, has_more: hasMore, next_cursor: next } })
  }),
]

interface Range {
  startDate: string
  endDate: string
}

/** Checks the role and the range. Returns the days, the response's `meta` and a lookup of the users by day. */
function open({ startDate, endDate }: Range, context: Context) {
  requireManager(context)
  const { seed } = context.world
  const days = readRange(startDate, endDate, context.now)
  const meta = { org_id: seed.organization.id, start_date: startDate, end_date: endDate }
  return { days, meta, usersOn: makeUsersOn(seed) }
}

// Reads the users of the seed, not the current members: removing a member must not change past figures.
function makeUsersOn({ users: people, analytics: { seed } }: Seed) {
  const everyone = people.map(({ id, email, hasEmailInAnalytics }): AnalyticsUser => {
    return { id, email: hasEmailInAnalytics ? email : null }
  })
  const known = new Map<string, readonly UserDay[]>()
  return (day: string) => {
    const found = known.get(day) ?? everyone.flatMap((user) => makeUserDay(seed, user, day) ?? [])
    known.set(day, found)
    return found
  }
}

const DAY_MS = 86_400_000

/** The days of a request, oldest first. Throws a `Problem` if the range is invalid. */
function readRange(startDate: string, endDate: string, now: number): string[] {
  const today = toDate(now)
  if (startDate > endDate) {
    throw new Problem(chosen.reversedRange.value, 'query.endDate: lies before startDate')
  }
  if (endDate >= today) {
    const detail = `query.endDate: figures come a day later; the last day is ${toDate(now - DAY_MS)}`
    throw new Problem(400, detail)
  }
  const length = (Date.parse(endDate) - Date.parse(startDate)) / DAY_MS + 1
  const { days: longest, status } = chosen.longRange.value
  if (length > longest) {
    throw new Problem(status, `query.endDate: the range is longer than ${longest} days`)
  }
  return Array.from({ length }, (_, index) => addDays(startDate, index))
}

/** The day that is `days` after a date, or before it if negative. */
export function addDays(date: string, days: number) {
  return toDate(Date.parse(date) + days * DAY_MS)
}

/** The days up to and including a day. */
function trailingDays(date: string, count: number) {
  return Array.from({ length: count }, (_, index) => addDays(date, -index))
}

function toDate(unixMilliseconds: number) {
  return new Date(unixMilliseconds).toISOString().slice(0, 'YYYY-MM-DD'.length)
}

/** The tokens row of a day. */
function tokensRow(date: string, users: readonly UserDay[]) {
  return {
    date,
    ...addTokens(users.flatMap(tokensOf)),
    by_model: modelsOf(users).map((model) => ({ model, ...tokensOfModel(users, model) })),
    by_user: users.map((user) => ({
      user_id: user.userId,
      user_email: user.email,
      ...addTokens(tokensOf(user)),
    })),
  }
}

/** The tokens rows of a day, one for each model. */
function tokensByModel(date: string, users: readonly UserDay[]) {
  return modelsOf(users).map((model) => ({
    date,
    group_key: model,
    ...tokensOfModel(users, model),
  }))
}

/** The tools row of a day. */
function toolsRow(date: string, users: readonly UserDay[]) {
  const calls = sum(users.map(({ toolCalls }) => total(toolCalls)))
  const sessions = sum(users.map((user) => user.sessions))
  const named = (counts: [string, number][]) => counts.map(([name, count]) => ({ name, count }))
  const skills = addCounts(users.map((user) => user.skills))
  const commands = addCounts(users.map((user) => user.commands))
  return {
    date,
    tool_calls: calls,
    by_tool: invocations(users, 'toolCalls', 'tool'),
    mcp_users_with_mcp: users.filter(({ mcpCalls }) => total(mcpCalls) > 0).length,
    mcp_by_server: invocations(users, 'mcpCalls', 'server'),
    skills_invocations: sum(skills.map(([, count]) => count)),
    skills_by_name: named(skills),
    slash_commands_invocations: sum(commands.map(([, count]) => count)),
    slash_commands_by_name: named(commands),
    ...hooksOf(users),
    web_users: users.filter(({ clients }) => clients.includes('web')).length,
    ...autonomyOf(users, calls),
    tool_calls_per_session_avg: ratio(calls, sessions),
    user_turns_per_session_avg: ratio(sum(users.map((user) => user.userMessages)), sessions),
    tool_autonomy_level_ratio: levelsOf(users, calls),
  }
}

/** The tools rows of a day, one for each tool. */
function toolsByName(date: string, users: readonly UserDay[]) {
  const calls = addCounts(users.map(({ toolCalls }) => toolCalls))
  return calls.map(([tool, count]) => ({ date, group_key: tool, tool_calls: count }))
}

/** The productivity row of a day. */
function productivityRow(date: string, users: readonly UserDay[]) {
  const files = addCounts(users.map(({ filesByExtension }) => filesByExtension))
  return {
    date,
    files_created: sum(users.map(({ filesCreated }) => filesCreated)),
    files_edited: sum(users.map(({ filesEdited }) => filesEdited)),
    by_extension: files.map(([extension, count]) => ({ extension, count })),
    by_language: files.map(([name, count]) => ({ language: languageOf(name), count })),
    git_commits: sum(users.map(({ commits }) => commits)),
    git_prs_created: sum(users.map(({ pullRequests }) => pullRequests)),
  }
}

const tokensOf = ({ tokensByModel: models }: UserDay) => Object.values(models)

function modelsOf(users: readonly UserDay[]) {
  return [...new Set(users.flatMap((user) => Object.keys(user.tokensByModel)))].sort()
}

function tokensOfModel(users: readonly UserDay[], model: string) {
  return addTokens(users.flatMap(({ tokensByModel: models }) => models[model] ?? []))
}

function invocations<const Name extends 'tool' | 'server'>(
  users: readonly UserDay[],
  field: 'toolCalls' | 'mcpCalls',
  name: Name,
) {
  const counts = addCounts(users.map((user) => user[field]))
  return counts.map(([value, count]) => ({ [name]: value, invocations: count }))
}

function hooksOf(users: readonly UserDay[]) {
  const hooks = addCounts(users.map((user) => user.hooks))
  return {
    hooks_invocations: sum(hooks.map(([, count]) => count)),
    hooks_by_event: hooks.map(([event, count]) => ({
      event,
      matcher: event === 'PostToolUse' ? 'Edit' : '',
      command: 'hookbell-hook',
      count,
    })),
  }
}

function autonomyOf(users: readonly UserDay[], calls: number) {
  const ratios = users.map((user) => ratio(total(user.toolCalls), user.userMessages))
  return {
    autonomy_ratio_avg: ratio(calls, sum(users.map((user) => user.userMessages))),
    autonomy_ratio_p50: percentile(ratios, 0.5),
    autonomy_ratio_p90: percentile(ratios, 0.9),
  }
}

function levelsOf(users: readonly UserDay[], calls: number) {
  const share = (...levels: string[]) => {
    const found = users.filter(({ level }) => levels.includes(level))
    return ratio(sum(found.map(({ toolCalls }) => total(toolCalls))), calls)
  }
  return {
    auto_high: share('auto-high'),
    auto_medium: share('auto-medium'),
    auto_low: share('auto-low'),
    manual: share('manual', 'spec'),
  }
}

type UsersOn = (date: string) => readonly UserDay[]

const WEEK = 7
const MONTH = 30

/** The activity row of a day; `usersOn` finds the users of the days before it as well. */
function activityRow(date: string, usersOn: UsersOn) {
  const users = usersOn(date)
  const userMessages = sum(users.map((user) => user.userMessages))
  return {
    date,
    daily_active_users: users.length,
    weekly_active_users: countActive(date, WEEK, usersOn),
    monthly_active_users: countActive(date, MONTH, usersOn),
    daily_active_users_by_client: Object.fromEntries(clientsOf(users)),
    sessions: sum(users.map(({ sessions }) => sessions)),
    messages: userMessages + sum(users.map((user) => user.assistantMessages)),
    user_messages: userMessages,
  }
}

/** The activity rows of a day, one for each client. A user of two clients counts for both. */
function activityByClient(date: string, users: readonly UserDay[]) {
  return clientsOf(users).map(([client, count]) => ({
    date,
    group_key: client,
    daily_active_users: count,
  }))
}

/** The row of a user and a day. */
function userRow(user: UserDay) {
  const calls = total(user.toolCalls)
  const [model, tier] = primaryModel(user)
  return {
    user_id: user.userId,
    user_email: user.email,
    date: user.date,
    tool_calls: calls,
    billable_tokens: addTokens(Object.values(user.tokensByModel)).billable_tokens,
    files_created: user.filesCreated,
    files_edited: user.filesEdited,
    git_commits: user.commits,
    git_prs_created: user.pullRequests,
    mcp_calls: total(user.mcpCalls),
    skill_calls: total(user.skills),
    slash_commands: total(user.commands),
    hooks: total(user.hooks),
    sessions: user.sessions,
    messages: user.userMessages + user.assistantMessages,
    user_messages: user.userMessages,
    assistant_messages: user.assistantMessages,
    autonomy_ratio: ratio(calls, user.userMessages),
    primary_model: model,
    primary_model_tier: tier,
    delegation_level: user.level,
    languages: Object.keys(user.filesByExtension).map(languageOf),
  }
}

function countActive(date: string, days: number, usersOn: UsersOn) {
  const seen = trailingDays(date, days).flatMap((day) => usersOn(day).map(({ userId }) => userId))
  return new Set(seen).size
}

function clientsOf(users: readonly UserDay[]): [string, number][] {
  const names = [...new Set(users.flatMap(({ clients }) => clients))].sort()
  return names.map((name) => [name, users.filter(({ clients }) => clients.includes(name)).length])
}

function primaryModel({ tokensByModel }: UserDay): [string, string] {
  const byUse = Object.entries(tokensByModel).toSorted(
    ([, one], [, other]) => other.billable_tokens - one.billable_tokens,
  )
  const model = byUse[0]?.[0] ?? ''
  return [model, model.endsWith('thinker') ? 'thinking' : 'standard']
}

export function sum(values: readonly number[]) {
  return values.reduce((total, value) => total + value, 0)
}

/** Adds up counts by name; sorted by name. */
function addCounts(all: readonly Counts[]): [string, number][] {
  const names = [...new Set(all.flatMap((counts) => Object.keys(counts)))].sort()
  return names.map((name) => [name, sum(all.map((counts) => counts[name] ?? 0))])
}

function total(counts: Counts) {
  return sum(Object.values(counts))
}

function addTokens(all: readonly TokenCounts[]): TokenCounts {
  const of = (field: keyof TokenCounts) => sum(all.map((counts) => counts[field]))
  return {
    billable_tokens: of('billable_tokens'),
    input_tokens: of('input_tokens'),
    output_tokens: of('output_tokens'),
    cache_read_tokens: of('cache_read_tokens'),
    cache_write_tokens: of('cache_write_tokens'),
  }
}

/** A quotient to two decimals; 0 if there is nothing to divide by. */
function ratio(part: number, whole: number) {
  return whole === 0 ? 0 : Math.round((part / whole) * 100) / 100
}

/** The value below which a share of the values lies. */
function percentile(values: readonly number[], share: number) {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

const models = ['emulated-model', 'emulated-thinker'] as const
const toolNames = ['Read', 'Edit', 'Execute', 'Grep', 'Create'] as const
// Letter case differs on purpose: the platform reports names unchanged.
const servers = ['linear', 'Linear', 'sentry'] as const
const skills = ['review', 'release'] as const
const commands = ['compact', 'model', 'help'] as const
const hookEvents = ['Notification', 'Stop', 'PostToolUse'] as const
const extensions = { ts: 'TypeScript', py: 'Python', md: 'Markdown' } as const
const clients = ['terminal-ui', 'web', 'non-interactive-cli'] as const
const levels = ['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual'] as const

interface TokenCounts {
  billable_tokens: number
  input_tokens: number
  output_tokens: number
  cache_read_tokens: number
  cache_write_tokens: number
}

type Counts = Readonly<Record<string, number>>

/** What one user did on one day. All analytics figures are computed from these. */
interface UserDay {
  date: string
  userId: string
  email: string | null
  clients: readonly string[]
  sessions: number
  userMessages: number
  assistantMessages: number
  tokensByModel: Readonly<Record<string, TokenCounts>>
  toolCalls: Counts
  mcpCalls: Counts
  skills: Counts
  commands: Counts
  hooks: Counts
  filesByExtension: Counts
  filesCreated: number
  filesEdited: number
  commits: number
  pullRequests: number
  level: (typeof levels)[number]
}

interface AnalyticsUser {
  id: string
  email: string | null
}

/** The language of a file extension. */
function languageOf(extension: string) {
  return new Map(Object.entries(extensions)).get(extension) ?? extension
}

/** What a user did on a day; undefined if the user did nothing. Depends on nothing but the arguments. */
function makeUserDay(seed: string, user: AnalyticsUser, date: string): UserDay | undefined {
  const random = makeRandom(`${seed}|${user.id}|${date}`)
  if (!random.happens(isWeekend(date) ? 0.3 : 0.85)) return undefined
  const sessions = random.int(1, 6)
  const userMessages = sessions * random.int(1, 8)
  const filesCreated = random.int(0, 4)
  const filesEdited = random.int(0, 12)
  const hooks = counts(random, hookEvents, 6)
  return {
    date,
    userId: user.id,
    email: user.email,
    clients: someOf(random, clients),
    sessions,
    userMessages,
    assistantMessages: userMessages + random.int(0, userMessages),
    tokensByModel: Object.fromEntries(
      someOf(random, models).map((model) => [model, tokenCounts(random)]),
    ),
    toolCalls: counts(random, toolNames, 40),
    mcpCalls: random.happens(0.5) ? counts(random, servers, 9) : {},
    skills: counts(random, skills, 2),
    commands: counts(random, commands, 3),
    hooks,
    filesByExtension: spread(random, filesCreated + filesEdited),
    filesCreated,
    filesEdited,
    commits: random.int(0, 5),
    pullRequests: random.int(0, 2),
    level: random.pick(levels),
  }
}

function isWeekend(date: string) {
  return [0, 6].includes(new Date(date).getUTCDay())
}

function someOf<T>(random: Random, values: readonly [T, ...T[]]): T[] {
  const first = random.pick(values)
  return values.filter((value) => value === first || random.happens(0.3))
}

function counts(random: Random, names: readonly string[], most: number): Counts {
  const all = names.map((name): [string, number] => [name, random.int(0, most)])
  return Object.fromEntries(all.filter(([, count]) => count > 0))
}

function tokenCounts(random: Random): TokenCounts {
  const input = random.int(10_000, 900_000)
  const output = random.int(1_000, 90_000)
  const read = random.int(0, input)
  return {
    // Tokens from a cache cost a tenth.
    billable_tokens: input - read + Math.round(read / 10) + output,
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: read,
    cache_write_tokens: random.int(0, input - read),
  }
}

function spread(random: Random, files: number): Counts {
  const found: Record<string, number> = {}
  const names = Object.keys(extensions)
  for (let file = 0; file < files; file += 1) {
    const name = names[random.int(0, names.length - 1)] ?? 'ts'
    found[name] = (found[name] ?? 0) + 1
  }
  return found
}
