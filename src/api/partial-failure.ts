import { ClientError } from './core/errors.ts'
import type { Output } from './endpoints/endpoint.ts'
import type { Api } from './endpoints/index.ts'

type UserLimits = Output<Api['organization']['limits']['setUsers']>

/** Some of the users were refused; the limits of the others are set. */
export class PartialFailureError extends ClientError {
  override readonly name = 'PartialFailureError'
  readonly kind = 'http'
  readonly status = 200
  readonly updated: UserLimits['updated']
  readonly errors: UserLimits['errors']

  constructor({ updated, errors }: UserLimits) {
    const lines = errors.map(({ email, error }) => `${email}: ${error}`)
    super(
      `${errors.length} of ${errors.length + updated.length} limits not set: ${lines.join('; ')}`,
    )
    this.updated = updated
    this.errors = errors
  }
}

/**
 * Gives the answer of `organization.limits.setUsers` back if every limit was set.
 * @throws {PartialFailureError} with what was set and what was not
 */
export function throwIfAnyFailed<Answer extends UserLimits>(answer: Answer): Answer {
  if (Array.isArray(answer?.errors) && answer.errors.length > 0)
    throw new PartialFailureError(answer)
  return answer
}
