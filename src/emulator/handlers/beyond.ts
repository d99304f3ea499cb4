import { beyond as endpoints } from '../../api/endpoints/beyond.ts'
import { mayUse, requireComputer, requireManager } from '../auth.ts'
import { chosen } from '../choices.ts'
import { ok, Problem } from '../reply.ts'
import type { Key, State } from '../state/state.ts'
import { type CheckedInput, type Context, deleted, handle } from '../world.ts'
import { computerBody } from './computers.ts'
import { findMember, isSame } from './organization.ts'
import { findKey, keysOf, requireRole } from './service-accounts.ts'
import { mayRead, pageOf, readSession, requireFeature, sessionBody } from './sessions.ts'

const { sessions, computers, users, keys } = endpoints

/** What the public documentation has and the specification does not. */
export const beyond = [
  handle(sessions.list, (input, context) => {
    requireFeature(context)
    const { computerId } = input
    const listed = context.state.sessions.filter(
      (session) =>
        mayRead(context, session) &&
        (computerId === undefined || session.computerId === computerId),
    )
    const { found, pagination } = pageOf(listed.reverse(), input)
    return ok({ sessions: found.map((session) => sessionBody(session, context)), pagination })
  }),

  handle(sessions.get, (input, context) => ok(sessionBody(readSession(context, input), context))),

  handle(sessions.update, (input, context) => {
    const session = readSession(context, { sessionId: input.sessionId })
    Object.assign(session.settings, input.sessionSettings)
    session.updatedAt = context.now
    return ok(sessionBody(session, context))
  }),

  handle(sessions.delete, (input, context) => {
    const { state, world } = context
    const session = readSession(context, input)
    state.sessions = state.sessions.filter((one) => one !== session)
    return deleted(world)
  }),

  handle(sessions.interrupt, (input, context) => {
    const session = readSession(context, input)
    if (session.jobs.length > 0) session.updatedAt = context.now
    session.jobs = []
    session.status = 'idle'
    return ok({ status: session.status })
  }),

  handle(sessions.message, (input, context) => {
    const found = readSession(context, input).messages.find(({ id }) => id === input.messageId)
    if (!found) throw new Problem(404, `No message "${input.messageId}"`)
    return ok(sessions.message.response.parse(found))
  }),

  handle(computers.list, ({ hostId, includeProvisioningSteps }, context) => {
    const found = context.state.computers
      .filter((computer) => computer.deletedAt === undefined && mayUse(context, computer))
      .map(computerBody)
      .filter((computer) => hostId === undefined || computer.hostId === hostId)
      .sort((one, other) => other.createdAt - one.createdAt)
      .map(({ provisioningSteps, ...computer }) =>
        includeProvisioningSteps === 'true' ? { ...computer, provisioningSteps } : computer,
      )
    return ok({ computers: found })
  }),

  handle(computers.restart, ({ computerId }, context) => {
    const { providerType } = computerBody(requireComputer(context, computerId))
    if (providerType === chosen.managedProvider.value) return ok({})
    const detail = `Computer "${computerId}" is not managed, so it cannot be restarted`
    throw new Problem(chosen.restarted.value, detail)
  }),

  handle(users.list, (input, context) => {
    requireManager(context)
    const { found, pagination } = pageOf(context.state.members, input)
    return ok({ users: found.map(({ id, email }) => ({ id, email })), pagination })
  }),

  handle(users.invite, (input, context) => {
    requireManager(context)
    return ok(invite(context.state, input))
  }),

  handle(users.limits, (_, context) => {
    requireManager(context)
    const { globalLimit, userLimits } = context.state
    const limits = Object.entries(userLimits).map(([email, limit]) => ({ email, limit }))
    return ok({ globalLimit, userLimits: limits })
  }),

  handle(keys.list, ({ serviceAccountId }, context) => {
    requireRole(context, serviceAccountId)
    return ok({ apiKeys: keysOf(context, serviceAccountId).map((key) => keyBody(key, context)) })
  }),

  handle(keys.revoke, ({ serviceAccountId, keyId }, context) => {
    requireRole(context, serviceAccountId)
    const key = findKey(context, serviceAccountId, keyId)
    key.revokedAt = Math.min(key.revokedAt ?? Infinity, context.now)
    return { status: 204 }
  }),
]

function invite(state: State, { email, role }: CheckedInput<typeof users.invite>) {
  const member = findMember(state, email)
  if (member) {
    const isSameRole = role === undefined || role === member.role
    if (isSameRole) return { email, role: member.role, status: 'already_member' }
    const owners = state.members.filter((one) => one.role === 'owner')
    if (member.role === 'owner' && owners.length === 1) {
      const error = 'The last owner must stay owner'
      return { email, role: member.role, status: 'error', error }
    }
    member.role = role
    return { email, role, status: 'role_updated' }
  }
  const isInvited = state.invitations.some((one) => isSame(one, email))
  if (!isInvited) state.invitations.push(email)
  return { email, role: role ?? 'user', status: isInvited ? 'already_invited' : 'invited' }
}

/** A key without its value. */
function keyBody({ id, name, expiresAt, revokedAt }: Key, { now }: Context) {
  return { id, name, isRevoked: (revokedAt ?? Infinity) <= now, expiresAt, revokedAt }
}
