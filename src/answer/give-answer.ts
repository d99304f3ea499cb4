import type { JournalEntry } from '../journal/entry.ts'
import { appendEntry, cleanEntry } from '../journal/journal.ts'
import { answerHook, forgetQuestion } from '../spool/waiting-hooks.ts'
import type { Ask } from './ask.ts'
import { type Decision, decisionLine } from './decision.ts'
import type { AnswerableQuestion } from './open-questions.ts'

/**
 * Gives the decision to the agent, and records it.
 * @param place where the person is, such as `command`
 * @returns false if the question is over: then nothing was recorded
 */
export async function giveAnswer(
  state: string,
  { hook, event, ask, payload }: AnswerableQuestion,
  decision: Decision,
  place: string,
): Promise<boolean> {
  const line = decisionLine(decision, ask, payload)
  if (!(await answerHook(hook, line))) return false
  const { client, sessionId } = event
  const now = Date.now()
  const entry: JournalEntry = {
    ...{ at: now, id: event.id, type: 'answered', client, sessionId, how: 'hookbell' },
    ...{ answeredAt: now, place, answer: decisionInWords(decision, ask) },
  }
  await appendEntry(state, cleanEntry(entry, []))
  forgetQuestion(state, hook)
  return true
}

/** Such as `allowed`, or `denied: Use the test database`. */
export function decisionInWords(decision: Decision, ask: Ask): string {
  switch (decision.type) {
    case 'allow':
      return 'allowed'
    case 'deny':
      return decision.reason ? `denied: ${decision.reason}` : 'denied'
    case 'always':
      return `allowed always: ${ask.about === 'permission' ? ask.rules[decision.rule]?.text : ''}`
    default:
      return `chosen: ${decision.labels.map((labels) => labels.join(', ')).join('; ')}`
  }
}
