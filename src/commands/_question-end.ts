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

/**
 * When and how a question was answered, as far as that is known: `2026-11-20 09:00:15, after 15 s: the next prompt`.
 * @param given what was answered with hookbell
 */
export function questionEndInWords(
  { how, at }: QuestionEnd,
  askedAt: number,
  given?: string,
): string {
  const when = formatSecond(at)
  if (how === 'none') return `none: ${signs.none}`
  if (how === 'went-on') return `before ${when}: ${signs[how]}`
  return `${when}, after ${formatDuration(at - askedAt)}: ${given ? `${given}, ` : ''}${signs[how]}`
}
