import { api } from '../../api/endpoints/index.ts'
import { requireManager, revokeKeysOf } from '../auth.ts'
import { chosen } from '../choices.ts'
import { ok, Problem } from '../reply.ts'
import type { State } from '../state/state.ts'
import { type Context, deleted, handle } from '../world.ts'

const { limits, users } = api.organization

export const organization = [
  handle(limits.getGlobal, (_, context) => {
    requireManager(context)
    return ok({ limit: context.state.globalLimit })
  }),

  handle(limits.setGlobal, ({ limit }, context) => {
    requireManager(context)
    context.state.globalLimit = limit
    return ok({ limit })
  }),

  handle(limits.setUsers, (input, context) => {
    requireManager(context)
    const { state } = context
    const known = input.users.filter(({ email }) => findMember(state, email))
    const unknown = input.users.filter((entry) => !known.includes(entry))
    for (const { email, limit } of known) setLimit(state, email, limit)
    const errors = unknown.map(({ email }) => ({ email, error: chosen.failedUserLimit.value }))
    return ok({ updated: known, errors })
  }),

  handle(users.remove, ({ email }, context) => {
    requireManager(context)
    const { state, world } = context
    const member = findMember(state, email)
    if (member) removeMember(context, member)
    else if (!revokeInvitation(state, email)) {
      const detail = `Neither a member nor a pending invitation has the address "${email}"`
      throw new Problem(chosen.unknownUser.value, detail)
    }
    return deleted(world)
  }),
]

function findMember({ members }: State, email: string) {
  return members.find((member) => isSame(member.email, email))
}

function isSame(one: string, other: string) {
  return one.toLowerCase() === other.toLowerCase()
}

function setLimit({ userLimits }: State, email: string, limit: number | null) {
  if (limit === null) delete userLimits[email.toLowerCase()]
  else userLimits[email.toLowerCase()] = limit
}

function removeMember(context: Context, member: State['members'][number]) {
  const { state } = context
  const owners = state.members.filter(({ role }) => role === 'owner')
  if (member.role === 'owner' && owners.length === 1) {
    throw new Problem(chosen.lastOwner.value, 'The last owner cannot be removed')
  }
  state.members = state.members.filter((one) => one !== member)
  setLimit(state, member.email, null)
  revokeKeysOf('user', member.id, context)
}

function revokeInvitation(state: State, email: string) {
  const left = state.invitations.filter((invited) => !isSame(invited, email))
  const wasThere = left.length < state.invitations.length
  state.invitations = left
  return wasThere
}
