import type { Reply } from '../reply.ts'
import type { World } from '../world.ts'

/** The response to a deletion: 200 with an empty object, or 204 if the seed says so. */
export function deleted({ seed }: World): Reply & { body?: Record<string, never> } {
  const { deletionStatus: status } = seed.behavior
  return status === 204 ? { status } : { status, body: {} }
}
