import * as z from 'zod'
import { once } from '../once.ts'
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
