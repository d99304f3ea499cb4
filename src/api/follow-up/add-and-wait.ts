import type { Pauses } from '../core/clock.ts'
import { Clock, Ended } from '../core/clock.ts'
import type { CallOptions } from '../core/options.ts'
import { DecodeError, hasErrorMarker, TimeoutError } from '../errors.ts'
import { swallowErrors } from '../record.ts'
import { now } from '../timers.ts'
import type { AddMessageInput, Message, SessionsMessagesApi } from '../types.ts'
import { abortedAs, checkPauses, follow } from './watch.ts'

/** The messages that followed the added one so far. */
export interface Progress {
  /** ID of the message that was added. */
  messageId: string
  /** Everything that came after it: answers, tool results, hooks. Oldest first. */
  messages: readonly Message[]
  elapsedMs: number
}

/** The options of `addAndWait`. `extraQuery` and `extraBody` are sent with the message only. */
export interface WaitOptions extends CallOptions {
  /** How long the call may take, including the work of the agent, in milliseconds. @default 600000 */
  deadlineMs?: number | undefined
  /** The first pause between two polls, in milliseconds. It grows while nothing changes. @default 1000 */
  pollMs?: number | undefined
  /** How long nothing may change before the agent counts as finished, in milliseconds. @default 3000 */
  quietMs?: number | undefined
  /** Called after every poll that found something new. */
  onProgress?: ((progress: Progress) => void) | undefined
}

/** The method `sessions.messages.addAndWait`, described in `MessagesClient`. */
export type AddAndWait = (input: AddMessageInput, options?: WaitOptions) => Promise<Message[]>

const PLACE = 'sessions.messages.addAndWait'

/** Makes `sessions.messages.addAndWait` of a client. */
export function makeAddAndWait(messages: SessionsMessagesApi, pauses: Pauses): AddAndWait {
  return async function addAndWait(input, given) {
    // Untyped callers may pass null.
    const options = given ?? {}
    const { pollMs, quietMs, onProgress, deadlineMs = 600_000, signal, ...adding } = options
    // The list has no body, and another query.
    const { extraBody: _, extraQuery: __, ...rest } = adding
    checkPauses(PLACE, 'options.', options)
    const startedAt = now()
    const { messageId, status } = await messages.add(input, { ...adding, deadlineMs, signal })
    const { sessionId, computerId } = input
    // The service reports that the agent is idle: no quiet period is needed.
    const quiet = status === 'idle' ? 0 : quietMs
    const place = { sessionId, computerId, after: messageId }
    let answers: readonly Message[] = []
    const tell = onProgress && swallowErrors(onProgress)
    try {
      // Without it, the watch would take the answers of an earlier message for those of this one.
      if (!messageId) throw new DecodeError(`${PLACE}: the response has no messageId`)
      const clock = new Clock(deadlineMs, signal, pauses, startedAt)
      const watched = { ...place, endOnIdle: true, pollMs, quietMs: quiet }
      for await (const { turn } of follow(messages, watched, rest, clock)) {
        answers = turn.answers
        tell?.({ messageId, messages: turn.messages, elapsedMs: clock.elapsedMs })
      }
      return [...answers]
    } catch (error) {
      throw afterAdding(error, messageId, deadlineMs)
    }
  }
}

/** Adds to every error that the message was added, so that nobody adds it twice. */
function afterAdding(error: unknown, messageId: string, deadlineMs: number): unknown {
  const message = messageId ? `message ${messageId}` : 'the message'
  const added = `${message} was added: list the messages instead of adding it again`
  if (error instanceof Ended && error.failure.kind === 'timeout')
    return new TimeoutError(`${PLACE}: the agent was not done within ${deadlineMs} ms`, {
      phase: 'wait',
      limit: 'deadlineMs',
      hint: added,
    })
  const known = abortedAs(PLACE, error)
  if (!hasErrorMarker(known)) return known
  return Object.assign(known, { hint: [known.hint, added].filter(Boolean).join('; ') })
}
