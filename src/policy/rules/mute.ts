import { describeMute, findMute } from '../mutes.ts'
import { defineRule, type HeldEvent, type JudgeContext, send, suppress } from '../types.ts'

/** Suppresses what a person has muted. Channels for records still get it. */
export const mute = defineRule({
  name: 'mute',
  isNoise: false,
  judge(event, { isRecord }, context) {
    const reason = isRecord ? undefined : whyMuted(event, context)
    return reason === undefined ? send : suppress(reason)
  },
  review: (held, context) => (held.isRecord ? undefined : whyMuted(held, context)),
})

function whyMuted(
  event: Pick<HeldEvent, 'sessionId' | 'project' | 'cwd' | 'kind'>,
  { mutes, now }: Pick<JudgeContext, 'mutes' | 'now'>,
): string | undefined {
  const muted = findMute(mutes, { ...event, isQuestion: event.kind === 'permission' }, now)
  return muted && describeMute(muted)
}
