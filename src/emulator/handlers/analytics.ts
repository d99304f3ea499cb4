import { api } from '../../api/endpoints/index.ts'
import { readRange } from '../analytics/days.ts'
import { activityByClient, activityRow, userRow } from '../analytics/people.ts'
import {
  productivityRow,
  tokensByModel,
  tokensRow,
  toolsByName,
  toolsRow,
} from '../analytics/rows.ts'
import { type AnalyticsUser, makeUserDay, type UserDay } from '../analytics/user-day.ts'
import { requireManager } from '../auth.ts'
import { chosen } from '../choices.ts'
import { ok } from '../reply.ts'
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
