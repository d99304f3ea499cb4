// Written by `npm run gen` from the table in ../endpoints.
import type { OperationTree } from '../core/operation.ts'
import { boolean, closed, list, number, open, text, type Shape } from '../validation/shape.ts'

const ReadinessReport: Shape = open({ reportId: text, createdAt: number, repoUrl: text, apps: { type: "object", additionalProperties: open({ description: text }, ["description"]) }, report: { type: "object", additionalProperties: { type: "object", properties: { numerator: { type: "number", minimum: 0 }, denominator: { type: "number", minimum: 1 }, rationale: text }, required: ["numerator", "denominator", "rationale"], 'x-at-most': { numerator: "denominator" } } }, commitHash: text, branch: text, hasLocalChanges: boolean, hasNonRemoteCommits: boolean, modelUsed: open({ id: text, reasoningEffort: text }, ["id", "reasoningEffort"]), droidVersion: text }, ["reportId", "createdAt", "repoUrl", "apps", "report"])

export const readiness: OperationTree = {
  reports: {
    id: "readiness.reports",
    method: "GET",
    path: "/api/organization/maturity-level-reports",
    alternatePath: "/api/organization/agent-readiness-reports",
    host: "app",
    success: [200],
    retry: "safe",
    hints: { '404': "the reports may be at /api/organization/agent-readiness-reports now" },
    page: { items: "reports", next: { from: "last-item", field: "reportId" }, cursor: "startAfter", size: "limit", end: "short-page" },
    query: closed({ repoId: text, limit: { type: "integer", exclusiveMinimum: 0 }, startAfter: text }),
    response: open({ reports: list(ReadinessReport) }, ["reports"]),
  },
}
