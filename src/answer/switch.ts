import { isRequested, putRequest, requestedAt, takeBackRequest } from '../spool/requests.ts'
import { endWait, listWaitingHooks } from '../spool/waiting-hooks.ts'

/** No question waits any more, and none can be answered from elsewhere. @returns how many waited */
export async function switchOff(state: string): Promise<number> {
  putRequest(state, 'answers-off')
  const waiting = listWaitingHooks(state)
  for (const hook of waiting) await endWait(state, hook)
  return waiting.length
}

/** @param until Unix ms: after that, channels answer nothing any more; undefined: without an end */
export function switchOn(state: string, until?: number) {
  if (until === undefined) takeBackRequest(state, 'answers-until')
  else putRequest(state, 'answers-until', `${until}`)
  takeBackRequest(state, 'answers-off')
}

/** Why nothing can be answered on a channel now; undefined if it can. */
export function whyOff(state: string, now: number): string | undefined {
  if (isRequested(state, 'answers-off')) return 'answers are switched off'
  const hasEnd = isRequested(state, 'answers-until')
  return hasEnd && now >= requestedAt(state, 'answers-until')
    ? 'the time for answers is over'
    : undefined
}
