// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../operation.ts'
import { shape } from '../validation/shape.ts'

const ReadinessReport = shape`{reportId:${{ type: "string", format: "uuid" }},createdAt:n,repoUrl:s,apps:<{description:s}>,report:<${{ type: "object", properties: { numerator: { type: "number", minimum: 0 }, denominator: { type: "number", minimum: 1 }, rationale: shape`s` }, required: ["numerator", "denominator", "rationale"], 'x-at-most': { numerator: "denominator" } }}>,commitHash?:s,branch?:s,hasLocalChanges?:b,hasNonRemoteCommits?:b,modelUsed?:{id:s,reasoningEffort:s},droidVersion?:s}`

export const readiness: OperationTree = {
  reports: {
    method: "GET",
    path: "/api/organization/maturity-level-reports",
    alternatePath: "/api/organization/agent-readiness-reports",
    hints: { '404': "the reports may be at /api/organization/agent-readiness-reports now" },
    page: { items: "reports", next: { from: "last-item", field: "reportId" }, cursor: "startAfter", size: "limit", end: "empty-page" },
    host: "app",
    query: shape`!{repoId?:s,limit?:${{ type: "integer", exclusiveMinimum: 0 }},startAfter?:s}`,
    response: shape`{reports:[${ReadinessReport}]}`,
  },
}
