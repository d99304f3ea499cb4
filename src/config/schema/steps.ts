import { parseDuration } from '../../text/duration.ts'

/** The channels that get a message, and how long after the event. */
export interface Step {
  to: readonly string[]
  after?: string | undefined
}

/** The steps of a route, in order; `to` alone is one step. */
export function stepsOf({
  to,
  steps,
}: {
  to?: readonly string[] | undefined
  steps?: readonly Step[] | undefined
}): readonly Step[] {
  return steps ?? (to ? [{ to }] : [])
}

/** How long after the event a step is due, in ms. */
export function afterMs({ after }: Step): number {
  return after === undefined ? 0 : (parseDuration(after) ?? 0)
}
