import { api } from '../../api/endpoints/index.ts'
import { ok } from '../reply.ts'
import { handle } from '../world.ts'

const { repositories, scan } = api.automations.ci

export const automations = [
  handle(repositories, (_, { world }) =>
    ok({
      repositories: world.seed.repositories.map(({ id, url, defaultBranch }) => ({
        id,
        url,
        defaultBranch,
        eligible: true,
      })),
    }),
  ),

  handle(scan, (_, { world, now }) =>
    ok({
      scannedAt: now,
      repositories: world.seed.repositories.map(({ id, url, workflows }) => ({
        id,
        url,
        workflows,
      })),
    }),
  ),
]
