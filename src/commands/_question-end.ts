import type { QuestionEnd } from '../journal/history.ts'
import { formatDuration } from '../text/duration.ts'
import { formatSecond } from '../text/local-time.ts'

const signs: Record<QuestionEnd['how'], string> = {
  reply: 'the client reported the answer',
  prompt: 'the next prompt',
  interrupt: 'you stopped the turn',
  transcript: 'the transcript goes on',
  'went-on': 'the agent had gone on',
  hookbell: 'with hookbell answer',
  none: 'the session ended before anybody answered',
}

/** When and how a question was answered, as far as that is known: `2026-11-20 09:00:15, after 15 s: the next prompt`. */
export function questionEndInWords(
  { how, at, answer, place, channel, person }: QuestionEnd,
  askedAt: number,
): string {
  const when = formatSecond(at)
  if (how === 'none') return `none: ${signs.none}`
  if (how === 'went-on') return `before ${when}: ${signs[how]}`
  const sign = channel ? `from ${place} ${person} by the channel ${channel}` : signs[how]
  return `${when}, after ${formatDuration(at - askedAt)}: ${answer ? `${answer}, ` : ''}${sign}`
}
