import { defineHoldUntilNextEnd } from './until-next-end.ts'

/** Holds back the end of a turn after which the agent goes on at once, with a prompt that a person had written before. */
export const queuedPrompts = defineHoldUntilNextEnd({
  name: 'queued-prompts',
  means: 'StopQueued',
  reason: 'the agent went on with a prompt that was waiting',
})
