import { describeMute, findMute } from './mutes.ts'
import { defineRule, send, suppress } from './types.ts'

/** Suppresses what a person has muted, including questions. Channels for records still get it. */
export const mute = defineRule({
  name: 'mute',
  isNoise: false,
  judge(event, { isRecord }, { mutes, now }) {
    const muted = isRecord ? undefined : findMute(mutes, event, now)
    return muted ? suppress(describeMute(muted)) : send
  },
  review({ sessionId, cwd }, { mutes, now }) {
    const muted = findMute(mutes, { sessionId, cwd, project: '' }, now)
    return muted && describeMute(muted)
  },
})
