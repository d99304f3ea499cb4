import { setTimeout as sleep } from 'node:timers/promises'

const STEP_MS = 50

/** Waits in short steps, so that other due timers run first, even if the machine pauses this process for a long time. */
export async function ownTime(ms: number) {
  for (let past = 0; past < ms; past += STEP_MS) await sleep(STEP_MS)
}
