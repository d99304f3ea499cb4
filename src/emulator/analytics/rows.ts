import { addCounts, addTokens, percentile, ratio, sum, total } from './sums.ts'
import { languageOf, type UserDay } from './user-day.ts'

/** The tokens row of a day. */
export function tokensRow(date: string, users: readonly UserDay[]) {
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
export function tokensByModel(date: string, users: readonly UserDay[]) {
  return modelsOf(users).map((model) => ({
    date,
    group_key: model,
    ...tokensOfModel(users, model),
  }))
}

/** The tools row of a day. */
export function toolsRow(date: string, users: readonly UserDay[]) {
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
export function toolsByName(date: string, users: readonly UserDay[]) {
  const calls = addCounts(users.map(({ toolCalls }) => toolCalls))
  return calls.map(([tool, count]) => ({ date, group_key: tool, tool_calls: count }))
}

/** The productivity row of a day. */
export function productivityRow(date: string, users: readonly UserDay[]) {
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
