import { NotFoundError } from '../http-errors.ts'
import { now } from '../timers.ts'
import { perform, type Shared, type Target } from './call.ts'
import type { CallOptions } from './options.ts'

/** Tries the second address of an endpoint if the first is not there, and remembers what worked. */
export async function tryAlternatePath(
  shared: Shared,
  first: Target,
  second: Target,
  options: CallOptions,
) {
  const startedAt = now()
  try {
    return await perform(shared, first, options, startedAt)
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    const answered = await perform(shared, second, options, startedAt).catch((other: unknown) => {
      throw other instanceof NotFoundError ? error : other
    })
    shared.workingPaths.set(second.id, second.route)
    return answered
  }
}
