import { findClient } from '../clients/index.ts'
import type { AgentEvent } from '../event/event.ts'
import { parseEvent } from '../event/parse.ts'
import { isPayload, type Payload } from '../event/payload.ts'
import {
  isStillWaiting,
  listWaitingHooks,
  readQuestionEvent,
  type WaitingHook,
} from '../spool/waiting-hooks.ts'
import { type Ask, askOf } from './ask.ts'

/** A question that can be answered from elsewhere now. */
export interface AnswerableQuestion {
  hook: WaitingHook
  event: AgentEvent
  payload: Payload
  ask: Ask
}

/** The questions whose hooks wait for an answer, the longest wait first. */
export function answerableQuestions(state: string): AnswerableQuestion[] {
  const open = listWaitingHooks(state).flatMap((hook) => {
    const found = isStillWaiting(hook) ? readQuestion(state, hook) : undefined
    return found ?? []
  })
  return open.sort((one, other) => one.event.at - other.event.at)
}

/** @returns undefined if the event is not there yet, or can only be answered where the client asks */
function readQuestion(state: string, hook: WaitingHook): AnswerableQuestion | undefined {
  const stored = readQuestionEvent(state, hook.id)
  // What was cut off cannot be shown, and so not be allowed.
  if (!stored || stored.truncated) return undefined
  try {
    const payload: unknown = JSON.parse(stored.body.toString('utf8'))
    const event = parseEvent({ ...stored, id: hook.id }, [])
    const takes = findClient(event.client)?.takesAnswers
    if (!takes || event.name !== 'PermissionRequest' || !isPayload(payload)) return undefined
    const ask = askOf(payload, takes)
    return ask && { hook, event, payload, ask }
  } catch {
    return undefined
  }
}
