import { isUsable, mayUse } from './auth.ts'
import { chosen } from './choices.ts'
import { EmulatorError } from './errors.ts'
import type { State } from './state/state.ts'
import type { Caller, World } from './world.ts'

/** Keys and IDs to try the emulator with. What the state does not have is `none`, which gets a 404. */
export interface Samples {
  /** A key of an owner or manager. */
  apiKey: string
  /** A key of a member, who has no access to analytics. */
  memberApiKey: string
  /** The value of the key `keyId`. */
  serviceAccountKey: string
  serviceAccountId: string
  keyId: string
  /** A computer that `apiKey` may use. */
  computerId: string
  /** A session on that computer. */
  sessionId: string
  wikiRunId: string
}

const NONE = 'none'

/** Finds keys and IDs that exist and can be used now. */
export function samplesOf({ state, clock }: World): Samples {
  const now = clock.now()
  const keys = state.keys.filter((key) => isUsable(key, now))
  const managers = callers(state, keys, chosen.organizationRole.value)
  const [caller] = managers
  if (!caller) throw noManager()
  const [member] = callers(state, keys, ['user', 'guest'])
  const serviceKey = keys.find(({ owner }) => owner.kind === 'service-account')
  const computer = state.computers.find(
    (candidate) =>
      candidate.deletedAt === undefined &&
      candidate.status === 'active' &&
      mayUse({ state, caller }, candidate),
  )
  const session = state.sessions.find(({ computerId }) => computerId === computer?.id)
  return {
    apiKey: caller.key.value,
    memberApiKey: member?.key.value ?? NONE,
    serviceAccountKey: serviceKey?.value ?? NONE,
    serviceAccountId: serviceKey?.owner.id ?? NONE,
    keyId: serviceKey?.id ?? NONE,
    computerId: computer?.id ?? NONE,
    sessionId: session?.id ?? NONE,
    wikiRunId: state.wikiRuns[0]?.id ?? NONE,
  }
}

function callers(state: State, keys: State['keys'], roles: readonly string[]): Caller[] {
  return keys.flatMap((key) => {
    const owner = state.members.find(({ id }) => key.owner.kind === 'user' && id === key.owner.id)
    return owner && roles.includes(owner.role) ? [{ key, role: owner.role }] : []
  })
}

function noManager() {
  return new EmulatorError('state: no owner or manager has a key that works', {
    hint: 'Move the state file away to start afresh',
  })
}
