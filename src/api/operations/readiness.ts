// Written by `npm run gen` from the table in src/api/endpoints/.
import type { OperationTree } from '../operation.ts'

export const readiness: OperationTree = {
  reports: {
    path: "/api/organization/maturity-level-reports",
    alternatePath: "/api/organization/agent-readiness-reports",
    host: "app",
    hints: { '404': "not found at any known path: check appUrl and paths" },
    page: { items: "reports", next: "reports.-1.reportId", cursor: "startAfter" },
    query: `!{repoId?,startAfter?:s,limit?:i(1-)}`,
    response: `{reports:[{reportId:u,createdAt:n,repoUrl,commitHash?,branch?,droidVersion?:s,apps:<{description:s}>,report:<{numerator:n(0-denominator),denominator:n(1-),rationale:s}>,hasLocalChanges?,hasNonRemoteCommits?:b,modelUsed?:{id,reasoningEffort:s}}]}`,
  },
}
