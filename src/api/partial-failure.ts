import { BaseClientError } from './errors.ts'
import type { SetUserLimitsResponse } from './types/index.ts'

/** Some user limits were refused; the others were set. */
export class PartialFailureError extends BaseClientError {
  override readonly name = 'PartialFailureError'
  readonly kind = 'partial'
  /** Limits that were set. */
  readonly updated: SetUserLimitsResponse['updated']
  /** Entries that were refused, each with its reason. */
  readonly errors: SetUserLimitsResponse['errors']

  constructor({ updated, errors }: SetUserLimitsResponse) {
    const lines = errors.map(({ email, error }) => `${email}: ${error}`)
    super(
      `${errors.length} of ${errors.length + updated.length} limits not set: ${lines.join('; ')}`,
    )
    this.updated = updated
    this.errors = errors
  }
}

/**
 * Returns the response of `organization.limits.setUsers` if every limit was set.
 * @throws {PartialFailureError} with what was set and what was not
 */
export function throwIfAnyFailed<Response extends SetUserLimitsResponse>(
  response: Response,
): Response {
  if (Array.isArray(response?.errors) && response.errors.length > 0)
    throw new PartialFailureError(response)
  return response
}
