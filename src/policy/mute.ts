import { describeMute, findMute } from './mutes.ts'
import { defineRule, send, suppress } from './types.ts'

/** What a person has muted, questions too: that is what they asked for. A record goes on. */
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
