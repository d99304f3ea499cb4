import { api } from '../../api/endpoints/index.ts'
import { isKeyOf, isManager, isUsable } from '../auth.ts'
import { chosen } from '../choices.ts'
import { Problem } from '../reply.ts'
import { type Key, makeKeyValue, nextId } from '../state/state.ts'
import { type Context, handle } from '../world.ts'

const MINUTE = 60_000

// Too few characters to derive the key from them.
const FINGERPRINT_LENGTH = 6

export const serviceAccounts = [
  handle(api.serviceAccounts.keys.rotate, (input, context) => {
    const { serviceAccountId, keyId, expiresAt, gracePeriodMinutes = 0 } = input
    const { state, now } = context
    requireRole(context, serviceAccountId)
    const old = findKey(context, serviceAccountId, keyId)
    if (old.revokedAt !== undefined || !isUsable(old, now)) throw notActive(old, now)
    const graceEnd = now + gracePeriodMinutes * MINUTE
    if (graceEnd > (old.expiresAt ?? Infinity)) throw outlasts(old)
    const id = nextId(state, 'key')
    const key: Key = { id, name: old.name, owner: old.owner, value: makeKeyValue(id), expiresAt }
    // Keys are only changed from here on: a refused rotation leaves the old key as it was.
    old.revokedAt = graceEnd
    state.keys.push(key)
    const fingerprint = key.value.slice(-FINGERPRINT_LENGTH)
    const apiKey = { id, value: key.value, fingerprint, name: key.name, expiresAt }
    return { status: 200, body: { apiKey } }
  }),
]

/** Throws a 403 unless the caller may manage the keys of a service account. */
export function requireRole({ caller }: Context, serviceAccountId: string) {
  if (isManager(caller) || isKeyOf(caller.key, 'service-account', serviceAccountId)) return
  throw new Problem(
    chosen.rotateRole.value,
    'Only Manager, Owner and the service account itself may rotate its keys',
  )
}

/** The keys of a service account; throws a 404 if there is no such account. */
export function keysOf({ state }: Context, serviceAccountId: string) {
  const account = state.serviceAccounts.find(({ id }) => id === serviceAccountId)
  if (!account) throw new Problem(404, `No service account "${serviceAccountId}"`)
  return state.keys.filter((key) => isKeyOf(key, 'service-account', account.id))
}

export function findKey(context: Context, serviceAccountId: string, keyId: string) {
  const key = keysOf(context, serviceAccountId).find(({ id }) => id === keyId)
  if (!key) throw new Problem(404, `Service account "${serviceAccountId}" has no key "${keyId}"`)
  return key
}

function notActive({ id, revokedAt, expiresAt }: Key, now: number) {
  const isExpired = expiresAt !== undefined && expiresAt <= now
  const why = isExpired ? 'expired' : 'already rotated or revoked'
  const metadata = { expiresAt, revokedAt }
  return new Problem(chosen.rotateConflict.value, `Key "${id}" is ${why}`, { metadata })
}

function outlasts({ expiresAt }: Key) {
  const detail = 'body.gracePeriodMinutes: would outlast the expiry of the key'
  return new Problem(400, detail, { metadata: { expiresAt } })
}
