import { defineHoldUntilNextEnd } from './until-next-end.ts'

/** Holds back the end of a turn at which a hook made the agent go on, until the turn really ends. */
export const stopHooks = defineHoldUntilNextEnd({
  name: 'stop-hooks',
  means: 'StopRefused',
  reason: 'a hook made the agent go on',
})
