import { defineRule, send, suppress } from './types.ts'

/** Suppresses the end of a turn after which the agent went on at once, with a prompt that a person had written before. */
export const queuedPrompts = defineRule({
  name: 'queued-prompts',
  isNoise: true,
  judge({ kind, means }) {
    if (kind !== 'done' || means !== 'StopQueued') return send
    return suppress('the agent went on with a prompt that was waiting')
  },
})
