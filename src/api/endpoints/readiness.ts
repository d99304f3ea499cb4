import * as z from 'zod'
import { once } from '../record.ts'
import { endpoint } from './endpoint.ts'
import { openEnum, uuid } from './open.ts'

const App = once(() =>
  z.looseObject({ description: z.string().describe('What the application is') }),
)

const Evaluation = once(() =>
  z
    .looseObject({
      numerator: z.number().min(0).describe('Points reached, 0 to denominator'),
      denominator: z.number().min(1).describe('Points that can be reached'),
      rationale: z.string().describe('Reason for the score'),
    })
    .refine(({ numerator, denominator }) => numerator <= denominator, {
      path: ['numerator'],
      error: 'expected at most the denominator',
    })
    .meta({ 'x-at-most': { numerator: 'denominator' } }),
)

const ModelUsed = once(() =>
  z.looseObject({
    id: z.string().describe('ID of the model'),
    reasoningEffort: openEnum(['low', 'medium', 'high', 'off']).describe(
      'How much the model reasoned',
    ),
  }),
)

export const ReadinessReport = once(() =>
  z
    .looseObject({
      reportId: uuid().describe('Report ID'),
      createdAt: z.number().describe('When the report was made, in Unix milliseconds'),
      repoUrl: z.string().describe('Repository that was evaluated'),
      apps: z.record(z.string(), App()).describe('Applications by path'),
      report: z.record(z.string(), Evaluation()).describe('Evaluations by criterion ID'),
      commitHash: z.string().optional().describe('Commit that was evaluated'),
      branch: z.string().optional().describe('Branch that was evaluated'),
      hasLocalChanges: z.boolean().optional().describe('Whether uncommitted changes existed'),
      hasNonRemoteCommits: z.boolean().optional().describe('Whether unpushed commits existed'),
      modelUsed: ModelUsed().optional().describe('Model that made the report'),
      droidVersion: z.string().optional().describe('Client version that made the report'),
    })
    .meta({ id: 'ReadinessReport' }),
)

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
    description:
      'The application serves it, not the API. The last `reportId` of a page is the cursor of the next one.',
    example: { limit: 2 },
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
