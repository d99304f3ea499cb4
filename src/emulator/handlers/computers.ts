import { api } from '../../api/endpoints/index.ts'
import { mayUse, noComputer, requireComputer, revokeKeysOf } from '../auth.ts'
import { ok } from '../reply.ts'
import type { ComputerState } from '../state/state.ts'
import { type Context, deleted, handle } from '../world.ts'

const { getByName, get, refresh, delete: remove } = api.computers

export const computers = [
  handle(getByName, ({ name }, context) => {
    const isIt = (computer: ComputerState) =>
      computer.name === name && computer.deletedAt === undefined
    const found = context.state.computers.find(isIt)
    if (!found || !mayUse(context, found)) throw noComputer(name)
    return ok(computerBody(found))
  }),

  handle(get, ({ computerId }, context) => ok(computerBody(requireComputer(context, computerId)))),

  handle(refresh, ({ computerId }, context) => {
    requireComputer(context, computerId).refreshCount += 1
    return ok({ configured: context.world.seed.organization.integrations.length })
  }),

  handle(remove, ({ computerId }, context) => {
    const computer = requireComputer(context, computerId)
    computer.deletedAt = context.now
    revokeKeysOf('computer', computer.id, context)
    archiveSessions(context, computer)
    return deleted(context.world)
  }),
]

/** A computer as responses have it. */
export function computerBody({ fields }: ComputerState) {
  return api.computers.get.response.parse(fields)
}

function archiveSessions({ state, now }: Context, computer: ComputerState) {
  for (const session of state.sessions.filter(({ computerId }) => computerId === computer.id)) {
    session.settings.archivedAt = new Date(now).toISOString()
    session.updatedAt = now
    // Without the computer, no agent is left to work on the session.
    session.jobs = []
    session.status = 'idle'
  }
}
