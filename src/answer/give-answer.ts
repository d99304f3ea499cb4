import { describeError } from '../errors.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { appendEntry, cleanEntry } from '../journal/journal.ts'
import { answerHook, forgetQuestion } from '../spool/waiting-hooks.ts'
import type { Ask } from './ask.ts'
import { type Decision, decisionLine } from './decision.ts'
import type { AnswerableQuestion } from './open-questions.ts'

/**
 * Gives the decision to the agent, and records it.
 * @param from where the person is, such as `command`; and on a channel, who it is there
 * @returns undefined if the question is over; `problem` if it was given and could not be recorded
 */
export async function giveAnswer(
  state: string,
  { hook, event, ask, payload }: AnswerableQuestion,
  decision: Decision,
  from: { place: string; channel?: string; person?: string },
): Promise<{ problem?: string } | undefined> {
  const line = decisionLine(decision, ask, payload)
  if (!(await answerHook(hook, line))) return undefined
  const { client, sessionId } = event
  const now = Date.now()
  const entry: JournalEntry = {
    ...{ at: now, id: event.id, type: 'answered', client, sessionId, how: 'hookbell' },
    ...{ answeredAt: now, ...from, answer: decisionInWords(decision, ask) },
  }
  try {
    await appendEntry(state, cleanEntry(entry, []))
    return {}
  } catch (error) {
    // The agent has it and goes on.
    return { problem: describeError(error) }
  } finally {
    forgetQuestion(state, hook)
  }
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
