import type { CallOptions } from '../core/options.ts'
import { AbortedError, hasErrorMarker, TimeoutError, ValidationError } from '../errors.ts'
import { clearTimeout, now, setTimeout } from '../timers.ts'
import type { AddMessageInput, Message, SessionsMessagesApi } from '../types/index.ts'
import { follow } from './watch.ts'

/** What has come after the message so far. */
export interface Progress {
  /** ID of the message that was added. */
  messageId: string
  /** Everything that came after it: answers, tool results, hooks. Oldest first. */
  messages: readonly Message[]
  elapsedMs: number
}

/** The options of `addAndWait`. */
export interface WaitOptions extends CallOptions {
  /** How long everything may take, with the work of the agent, in milliseconds. @default 600000 */
  deadlineMs?: number | undefined
  /** The first pause between two looks, in milliseconds. It grows while nothing happens. @default 1000 */
  pollMs?: number | undefined
  /** How long nothing must change after the last answer, in milliseconds. @default 3000 */
  quietMs?: number | undefined
  /** Called after every look that found something new. */
  onProgress?: ((progress: Progress) => void) | undefined
}

/**
 * Adds a user message, waits until the agent is done with it, and gives the new assistant messages, oldest first.
 * Answers to messages that were queued before do not count; if nothing follows such an answer for two minutes, it
 * was to this one as well. If it fails after the message was added, `hint` says so: do not add it again then.
 * @throws {TimeoutError} if the agent takes longer than `deadlineMs`
 */
export type AddAndWait = (input: AddMessageInput, options?: WaitOptions) => Promise<Message[]>

const PLACE = 'sessions.messages.addAndWait'

/** Makes `sessions.messages.addAndWait` of a client. */
export function makeAddAndWait(messages: SessionsMessagesApi): AddAndWait {
  return async function addAndWait(input, given) {
    // Callers without types give null for nothing.
    const { pollMs, quietMs, onProgress, deadlineMs = 600_000, signal, ...rest } = given ?? {}
    checkOptions({ pollMs, quietMs })
    const startedAt = now()
    const { messageId, status } = await messages.add(input, { ...rest, deadlineMs, signal })
    // The service says that it is done: then there is nothing to wait out.
    const quiet = status === 'idle' ? 0 : quietMs
    const limit = makeLimit(deadlineMs - (now() - startedAt), signal)
    const { sessionId, computerId } = input
    const watched = { sessionId, computerId, after: messageId, endOnIdle: true, quietMs: quiet }
    let answers: readonly Message[] = []
    try {
      const looks = follow(messages, { ...watched, pollMs, signal: limit.signal }, rest)
      for await (const { turn } of looks) {
        answers = turn.answers
        tell(onProgress, { messageId, messages: turn.messages, elapsedMs: now() - startedAt })
      }
      return [...answers]
    } catch (error) {
      throw afterAdding(error, messageId, limit.isOver() ? deadlineMs : undefined)
    } finally {
      limit.stop()
    }
  }
}

function checkOptions(options: Pick<WaitOptions, 'pollMs' | 'quietMs'>) {
  const issues = Object.entries(options)
    .filter(([, value]) => value !== undefined && !(value >= 0))
    .map(([name]) => ({ field: `options.${name}`, problem: 'must be 0 or more' }))
  if (issues.length > 0) throw new ValidationError(PLACE, issues)
}

/** A signal that is aborted with another one, or when the time is over. */
function makeLimit(ms: number, signal: AbortSignal | undefined) {
  const controller = new AbortController()
  let isOver = false
  const abort = () => controller.abort(signal?.reason)
  const timer = setTimeout(
    () => {
      isOver = true
      controller.abort(new Error('the deadline has passed'))
    },
    Math.min(2 ** 31 - 1, Math.max(0, ms)),
  )
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    isOver: () => isOver,
    stop() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    },
  }
}

/** The message is there: a callback that throws must not make its call a failure. */
function tell(onProgress: WaitOptions['onProgress'], progress: Progress) {
  try {
    onProgress?.(progress)
  } catch {
    // Its owner has no other way to hear of it, and neither do we.
  }
}

/** Says of every error that the message is there, so that nobody adds it twice. */
function afterAdding(error: unknown, messageId: string, passedMs: number | undefined): unknown {
  const added = `message ${messageId} was added: list the messages instead of adding it again`
  if (passedMs !== undefined)
    return new TimeoutError(`${PLACE}: the agent was not done within ${passedMs} ms`, {
      phase: 'wait',
      limit: 'deadlineMs',
      hint: added,
    })
  if (error instanceof AbortedError)
    return new AbortedError(`${PLACE}: aborted`, { cause: error.cause, hint: added })
  if (hasErrorMarker(error)) {
    const { hint } = error as { hint?: string }
    Object.assign(error as object, { hint: [hint, added].filter(Boolean).join('; ') })
  }
  return error
}
