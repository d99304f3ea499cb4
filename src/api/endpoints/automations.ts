import * as z from 'zod'
import { endpoint } from './endpoint.ts'

const ci = {
  /** List repositories that can have CI automations. */
  repositories: endpoint({
    id: 'automations.ci.repositories',
    name: 'ListCiRepositories',
    method: 'GET',
    path: '/api/v0/automations/ci/repositories',
    host: 'base',
    summary: 'List repositories that can have CI automations.',
    description: 'The response is not documented and is passed on unchanged.',
    example: {},
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
    description: 'The response is not documented and is passed on unchanged.',
    example: {},
    success: [200],
    response: () => z.unknown(),
    retry: 'safe',
    errors: { 401: 'specification', 500: 'documentation' },
  }),
}

export const automations = { ci }
