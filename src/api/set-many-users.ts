import type { CallOptions } from './core/options.ts'
import { hasErrorMarker } from './errors.ts'
import type {
  OrganizationLimitsApi,
  SetUserLimitsInput,
  SetUserLimitsInputUser,
  SetUserLimitsResponse,
} from './types.ts'

/** The method `organization.limits.setManyUsers`, described in `LimitsClient`. */
export type SetManyUsers = (
  input: SetUserLimitsInput,
  options?: CallOptions,
) => Promise<SetUserLimitsResponse>

/** The most entries that the service takes in a request. */
const MOST_ENTRIES = 100

/** Makes `organization.limits.setManyUsers` of a client. */
export function makeSetManyUsers({ setUsers }: OrganizationLimitsApi): SetManyUsers {
  return async function setManyUsers(input, options) {
    const users = input?.users
    // Also what is no list: the client says what is wrong with it.
    if (!Array.isArray(users) || users.length <= MOST_ENTRIES) return setUsers(input, options)
    const joined: SetUserLimitsResponse = { updated: [], errors: [] }
    for (let start = 0; start < users.length; start += MOST_ENTRIES) {
      const entries = users.slice(start, start + MOST_ENTRIES)
      try {
        const { updated, errors } = await setUsers({ ...input, users: entries }, options)
        joined.updated.push(...updated)
        joined.errors.push(...errors)
      } catch (error) {
        // Nothing was set yet, so the error tells everything.
        if (start === 0 || !hasErrorMarker(error)) throw error
        joined.errors.push(...notSet(entries, error.message))
        joined.errors.push(...notSet(users.slice(start + MOST_ENTRIES), 'not tried'))
        return joined
      }
    }
    return joined
  }
}

function notSet(users: readonly SetUserLimitsInputUser[], error: string) {
  return users.map((user) => ({ email: String(Object(user).email), error }))
}
