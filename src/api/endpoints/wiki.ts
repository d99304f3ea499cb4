import * as z from 'zod'
import { once } from '../record.ts'
import { endpoint } from './endpoint.ts'
import { undocumented } from './open.ts'

// The parameters and responses of wiki runs are not documented: both are passed on unchanged.
const params = once(() => z.strictObject({ wikiRunId: z.string().min(1).describe('Wiki run ID') }))

// 403 and its reason are from the public documentation.
const errors = {
  401: 'specification',
  403: 'documentation',
  500: 'documentation',
} as const
const hints = { 403: 'the organization has switched off cloud sync of wikis' }

export const wiki = {
  /** Create a wiki run. */
  create: endpoint({
    id: 'wiki.create',
    name: 'CreateWikiRun',
    method: 'POST',
    path: '/api/v0/wiki',
    host: 'base',
    summary: 'Create a wiki run.',
    description: 'The body is not documented: your input is sent unchanged.',
    example: { repoUrl: 'https://github.com/example/shop' },
    body: undocumented,
    passthrough: true,
    success: [200],
    response: () => z.unknown(),
    // A second copy would start a second run.
    retry: 'never',
    errors,
    hints,
  }),

  /** Get a wiki run. */
  get: endpoint({
    id: 'wiki.get',
    name: 'GetWikiRun',
    method: 'GET',
    path: '/api/v0/wiki/{wikiRunId}',
    host: 'base',
    summary: 'Get a wiki run.',
    description:
      'The query is not documented: your input is sent unchanged. Neither is the response.',
    example: { wikiRunId: 'wiki_shop' },
    params,
    query: undocumented,
    passthrough: true,
    success: [200],
    response: () => z.unknown(),
    retry: 'safe',
    errors: { 401: 'specification', 403: 'documentation', 500: 'inference' },
    hints,
  }),

  /** Search a wiki run. */
  search: endpoint({
    id: 'wiki.search',
    name: 'SearchWikiRun',
    method: 'GET',
    path: '/api/v0/wiki/{wikiRunId}/search',
    host: 'base',
    summary: 'Search a wiki run.',
    description: 'The query is not documented: your input is sent unchanged.',
    example: { wikiRunId: 'wiki_shop', query: 'queue' },
    params,
    query: undocumented,
    passthrough: true,
    success: [200],
    response: () => z.unknown(),
    retry: 'safe',
    errors,
    hints,
  }),

  /** Set the privacy of a wiki run. */
  setPrivacy: endpoint({
    id: 'wiki.setPrivacy',
    name: 'SetWikiPrivacy',
    method: 'POST',
    path: '/api/v0/wiki/{wikiRunId}/privacy',
    host: 'base',
    summary: 'Set the privacy of a wiki run.',
    description: 'The body and the levels are not documented: your input is sent unchanged.',
    example: { wikiRunId: 'wiki_shop', privacy: 'organization' },
    params,
    body: undocumented,
    passthrough: true,
    success: [200],
    response: () => z.unknown(),
    // The effect of the body is unknown, so a second copy may do harm.
    retry: 'never',
    errors,
    hints,
  }),
}
