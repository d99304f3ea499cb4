import { chosen } from './choices.ts'
import { Problem } from './reply.ts'
import type { ComputerState, Key, Role, State } from './state/state.ts'
import type { Caller, Context } from './world.ts'

/** Finds out who calls, or throws a 401. */
export function authenticate(state: State, authorization: string | undefined, now: number): Caller {
  const value = /^Bearer +(\S+)\s*$/i.exec(authorization ?? '')?.[1]
  if (!value) throw unauthorized('The Authorization header must be "Bearer <key>"')
  const key = state.keys.find((candidate) => candidate.value === value)
  const role = key && isUsable(key, now) ? roleOf(state, key) : undefined
  if (!key || !role) throw unauthorized('The key is unknown, revoked or expired')
  return { key, role }
}

/** Whether a key authenticates at a time. */
export function isUsable({ expiresAt, revokedAt }: Key, now: number) {
  return (expiresAt ?? Infinity) > now && (revokedAt ?? Infinity) > now
}

/** Whether a key belongs to a user, a service account or a computer. */
export function isKeyOf({ owner }: Key, kind: Key['owner']['kind'], id: string) {
  return owner.kind === kind && owner.id === id
}

/** Revokes the keys of a user or a computer that is removed. */
export function revokeKeysOf(
  kind: Key['owner']['kind'],
  id: string,
  { state, now }: Pick<Context, 'state' | 'now'>,
) {
  for (const key of state.keys) if (isKeyOf(key, kind, id)) key.revokedAt = now
}

/** Throws a 403 unless the caller is Manager or Owner. */
export function requireManager({ caller }: Context) {
  if (isManager(caller)) return
  throw new Problem(403, 'Needs the Manager or Owner role', { metadata: { role: caller.role } })
}

/** Whether the caller is Manager or Owner. */
export function isManager({ role }: Caller) {
  return chosen.organizationRole.value.includes(role)
}

/** Whether the caller may see and use a computer. */
export function mayUse(
  { caller, state }: Pick<Context, 'caller' | 'state'>,
  computer: ComputerState,
) {
  const { kind, id } = caller.key.owner
  if (kind === 'computer') return id === computer.id
  if (id === computer.ownerId) return true
  const isOfAccount = state.serviceAccounts.some((account) => account.id === computer.ownerId)
  return isOfAccount && isManager(caller)
}

/** A computer that exists and that the caller may use; throws a 404 or 403 otherwise. */
export function requireComputer(context: Context, computerId: string): ComputerState {
  const found = context.state.computers.find(({ id }) => id === computerId)
  if (!found || found.deletedAt !== undefined) throw noComputer(computerId)
  if (mayUse(context, found)) return found
  throw new Problem(chosen.computerAccess.value, `Computer "${computerId}" is not yours`)
}

/** The 404 of a computer. */
export function noComputer(name: string) {
  return new Problem(chosen.deletedComputer.value, `No computer "${name}"`)
}

function roleOf(state: State, { owner }: Key): Role | undefined {
  const byId = ({ id }: { id: string }) => id === owner.id
  if (owner.kind === 'user') return state.members.find(byId)?.role
  if (owner.kind === 'service-account') return state.serviceAccounts.find(byId)?.role
  const computer = state.computers.find(byId)
  return computer && computer.deletedAt === undefined ? 'user' : undefined
}

function unauthorized(detail: string) {
  return new Problem(401, detail, { headers: { 'www-authenticate': 'Bearer' } })
}
