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
    const problems = input.users.map((entry) => problemOf(entry, state))
    const updated = input.users.filter((_, index) => !problems[index])
    for (const { email, limit } of updated) setLimit(state, email, limit)
    const errors = input.users.flatMap(({ email }, index) => {
      const error = problems[index]
      return error ? { email, error } : []
    })
    return ok({ updated, errors })
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

function problemOf({ email, limit }: UserLimit, state: State): string | undefined {
  const least = chosen.userLimitMinimum.value
  if (limit !== null && limit < least) return `the limit must be at least ${least}`
  return findMember(state, email) ? undefined : chosen.failedUserLimit.value
}

interface UserLimit {
  email: string
  limit: number | null
}

export function findMember({ members }: State, email: string) {
  return members.find((member) => isSame(member.email, email))
}

/** Whether two addresses are the same: letter case does not matter. */
export function isSame(one: string, other: string) {
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
