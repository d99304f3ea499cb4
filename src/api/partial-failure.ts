import { BaseClientError } from './errors.ts'
import { isRecord } from './record.ts'
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
    const lines = errors.map((entry) =>
      isRecord(entry) ? `${entry.email}: ${entry.error}` : String(entry),
    )
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
  // Responses are passed on even if they differ from the known shape.
  const { errors, updated } = Object(response)
  if (Array.isArray(errors) && errors.length > 0)
    throw new PartialFailureError({ errors, updated: Array.isArray(updated) ? updated : [] })
  return response
}
