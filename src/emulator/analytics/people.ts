import { trailingDays } from './days.ts'
import { addTokens, ratio, sum, total } from './sums.ts'
import { languageOf, type UserDay } from './user-day.ts'

type UsersOn = (date: string) => readonly UserDay[]

const WEEK = 7
const MONTH = 30

/** The activity row of a day; `usersOn` finds the users of the days before it as well. */
export function activityRow(date: string, usersOn: UsersOn) {
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
export function activityByClient(date: string, users: readonly UserDay[]) {
  return clientsOf(users).map(([client, count]) => ({
    date,
    group_key: client,
    daily_active_users: count,
  }))
}

/** The row of a user and a day. */
export function userRow(user: UserDay) {
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
