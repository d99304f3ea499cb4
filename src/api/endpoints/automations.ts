import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { undocumented } from './open.ts'

const ci = {
  /** List repositories that can have CI automations. */
  repositories: endpoint({
    id: 'automations.ci.repositories',
    name: 'ListCiRepositories',
    method: 'GET',
    path: '/api/v0/automations/ci/repositories',
    host: 'base',
    summary: 'List repositories that can have CI automations.',
    description:
      'The query is not documented: your input is sent unchanged. Neither is the response.',
    example: {},
    query: undocumented,
    passthrough: true,
    success: [200],
    response: () => z.unknown(),
    retry: 'safe',
    errors: { 401: 'specification', 500: 'inference' },
  }),

  /** Look for CI workflows in the repositories. */
  scan: endpoint({
    id: 'automations.ci.scan',
    name: 'ScanCi',
    method: 'GET',
    path: '/api/v0/automations/ci/scan',
    host: 'base',
    summary: 'Look for CI workflows in the repositories.',
    description:
      'The query is not documented: your input is sent unchanged. Neither is the response.',
    example: {},
    query: undocumented,
    passthrough: true,
    success: [200],
    response: () => z.unknown(),
    retry: 'safe',
    errors: { 401: 'specification', 500: 'documentation' },
  }),
}

export const automations = { ci }
