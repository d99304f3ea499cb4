import { api } from '../../api/endpoints/index.ts'
import { chosen } from '../choices.ts'
import { ok, Problem } from '../reply.ts'
import { handle } from '../world.ts'

export const readiness = [
  handle(api.readiness.reports, (input, { world }) => {
    const { repoId, limit = chosen.readinessPageSize.value, startAfter } = input
    const all = world.seed.readinessReports
      .filter((report) => repoId === undefined || report.repoId === repoId)
      .toSorted((one, other) => other.createdAt - one.createdAt)
    const start = startAfter === undefined ? 0 : indexAfter(all, startAfter)
    const page = all.slice(start, start + limit)
    return ok({ reports: page.map(({ repoId: _, ...report }) => report) })
  }),
]

function indexAfter(reports: readonly { reportId: string }[], reportId: string) {
  const index = reports.findIndex((report) => report.reportId === reportId)
  if (index >= 0) return index + 1
  throw new Problem(chosen.readinessCursor.value, `query.startAfter: no report "${reportId}"`)
}
