import * as z from 'zod'
import { ReadinessReport } from '../schemas/readiness.ts'
import { endpoint } from './endpoint.ts'

export const readiness = {
  /** List the agent-readiness reports of the organization. */
  reports: endpoint({
    id: 'readiness.reports',
    name: 'ListReadinessReports',
    method: 'GET',
    path: '/api/organization/maturity-level-reports',
    // In the public documentation since July 2026; whether the service still has the path above is unknown.
    alternatePath: '/api/organization/agent-readiness-reports',
    host: 'app',
    summary: 'List the agent-readiness reports of the organization.',
    query: () =>
      z.strictObject({
        repoId: z.string().optional().describe('Only reports of the repository with this ID'),
        limit: z.int().positive().optional().describe('Reports per page'),
        startAfter: z.string().optional().describe('The last reportId of the previous page'),
      }),
    success: [200],
    response: () =>
      z.looseObject({
        reports: z.array(ReadinessReport()).describe('Reports of this page'),
      }),
    retry: 'safe',
    errors: { 400: 'specification', 401: 'specification', 500: 'specification' },
    // Both paths have been tried by then.
    hints: { 404: 'not found at any known path: check appUrl and paths' },
    page: {
      items: 'reports',
      next: 'reports.-1.reportId',
      cursor: 'startAfter',
    },
  }),
}
