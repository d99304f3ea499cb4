import { setTimeout as sleep } from 'node:timers/promises'

const STEP_MS = 50

/** Waits in many short steps, so that what is due goes first even if the machine pauses this process for long. */
export async function ownTime(ms: number) {
  for (let past = 0; past < ms; past += STEP_MS) await sleep(STEP_MS)
}
