import { formatTime } from '../text/local-time.ts'
import { findMute, type Mute } from './mutes.ts'
import { defineRule, send, suppress } from './types.ts'

/** What a person has muted, questions too: that is what they asked for. A record goes on. */
export const mute = defineRule({
  name: 'mute',
  isNoise: false,
  judge(event, { isRecord }, { mutes, now }) {
    const muted = isRecord ? undefined : findMute(mutes, event, now)
    return muted ? suppress(inWords(muted)) : send
  },
  review({ sessionId, cwd }, { mutes, now }) {
    const muted = findMute(mutes, { sessionId, cwd, project: '' }, now)
    return muted && inWords(muted)
  },
})

function inWords({ until, session, project }: Mute): string {
  const what = [session && `session ${session.slice(0, 8)}`, project && `project ${project}`]
  const named = what.filter(Boolean).join(', ')
  const when = until === 0 ? 'until hookbell unmute' : `until ${formatTime(until)}`
  return `muted ${when}${named && ` (${named})`}`
}
