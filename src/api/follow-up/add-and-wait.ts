import { Clock, Ended } from '../core/clock.ts'
import { AbortedError, isClientError, TimeoutError, ValidationError } from '../core/errors.ts'
import type { Operation } from '../core/operation.ts'
import type { CallOptions } from '../core/options.ts'
import type { PageList } from '../core/page.ts'
import type { Input, Item, Output } from '../endpoints/endpoint.ts'
import type { Api } from '../endpoints/index.ts'
import type { ClientOf } from '../make-client.ts'
import { sessions as operations } from '../operations/sessions.ts'
import type { Message } from '../schemas/message.ts'
import { encode } from '../validation/encode.ts'
import { makeHistory } from './history.ts'
import { PATIENCE_MS, readTurn, type Turn } from './turn.ts'

type Messages = Api['sessions']['messages']

/** What has come after the message so far. */
export interface Progress {
  /** ID of the message that was added. */
  messageId: string
  /** Everything that came after it: answers, tool results, hooks. Oldest first. */
  messages: readonly Message[]
  elapsedMs: number
}

export interface WaitOptions extends CallOptions {
  /** How long everything may take, with the work of the agent, in milliseconds. @default 600000 */
  deadlineMs?: number
  /** Pause between two looks, in milliseconds. @default 2000 */
  pollMs?: number
  /** How long nothing must change after the last answer, in milliseconds. @default 3000 */
  quietMs?: number
  /** Called after every look that found something new. */
  onProgress?: (progress: Progress) => void
}

/**
 * Adds a user message, waits until the agent is done with it, and gives the new assistant messages,
 * oldest first. Answers to messages that were queued before do not count where the service names the
 * parents of messages; if nothing follows such an answer for two minutes, it was to this one as well.
 * If it fails after the message was added, `hint` says so: do not add it again then.
 * @throws {TimeoutError} if the agent takes longer than `deadlineMs`
 */
export type AddAndWait = (
  input: Input<Messages['add']>,
  options?: WaitOptions,
) => Promise<Message[]>

interface MessageMethods {
  add(input: Input<Messages['add']>, options?: CallOptions): Promise<Output<Messages['add']>>
  list(
    input: Input<Messages['list']>,
    options?: CallOptions,
  ): PageList<Output<Messages['list']>, Item<Messages['list']>>
}

const PLACE = 'sessions.messages.addAndWait'
const PAGE_SIZE = 100
const { add } = operations.messages as Record<'add', Operation>

/** What `sessions` of a client has besides the endpoints. */
export interface WithAddAndWait {
  readonly sessions: { readonly messages: { readonly addAndWait: AddAndWait } }
}

/** Adds `sessions.messages.addAndWait` to a client. */
export function withAddAndWait<Base extends ClientOf<'sessions'>>(
  client: Base,
): Base & WithAddAndWait {
  const { sessions } = client
  const { messages } = sessions
  const addAndWait = makeAddAndWait(messages)
  return { ...client, sessions: { ...sessions, messages: { ...messages, addAndWait } } }
}

function makeAddAndWait(methods: MessageMethods): AddAndWait {
  return async function addAndWait(input, given) {
    // Callers without types give null for nothing.
    const options = given ?? {}
    checkOptions(options)
    // The history is read first, and nothing must be asked for an input that cannot be added.
    encode(add, input)
    const { pollMs, quietMs, onProgress, deadlineMs = 600_000, ...callOptions } = options
    const clock = new Clock(deadlineMs, options.signal)
    const limits = () => ({ ...callOptions, deadlineMs: Math.max(1, clock.remainingMs) })
    try {
      const { sessionId, computerId } = input
      const history = makeHistory((cursor) =>
        methods.list({ sessionId, computerId, limit: PAGE_SIZE, cursor }, limits()).pages(),
      )
      await history.remember()
      const { messageId, status } = await methods.add(input, limits())
      return await settle(messageId)

      async function settle(ownId: string): Promise<Message[]> {
        try {
          const look = async () => readTurn(await history.readNew(), ownId, history.earlier())
          const report = (turn: Turn) =>
            onProgress?.({ messageId: ownId, messages: turn.messages, elapsedMs: clock.elapsedMs })
          // The service says that it is done: then there is nothing to wait out.
          const quiet = ({ isDoubtful }: Turn) =>
            status === 'idle' ? 0 : Math.max(quietMs ?? 3_000, isDoubtful ? PATIENCE_MS : 0)
          return [...(await watch(clock, look, report, pollMs ?? 2_000, quiet)).answers]
        } catch (error) {
          throw afterAdding(error, ownId, deadlineMs)
        }
      }
    } finally {
      clock.stop()
    }
  }
}

/** Looks until the turn is answered and nothing has changed for a while. */
async function watch(
  clock: Clock,
  look: () => Promise<Turn>,
  report: (turn: Turn) => void,
  pollMs: number,
  quietMs: (turn: Turn) => number,
): Promise<Turn> {
  let seen = '[]'
  let changedAt = clock.elapsedMs
  for (;;) {
    const turn = await look()
    if (turn.fingerprint !== seen) {
      seen = turn.fingerprint
      changedAt = clock.elapsedMs
      try {
        report(turn)
      } catch {
        // The message is there: a callback that throws must not make its call a failure.
      }
    }
    if (turn.isAnswered && clock.elapsedMs - changedAt >= quietMs(turn)) return turn
    await clock.sleep(pollMs)
  }
}

function checkOptions({ deadlineMs, pollMs, quietMs }: WaitOptions) {
  const problems = Object.entries({ deadlineMs, pollMs, quietMs })
    .filter(
      ([name, value]) =>
        value !== undefined && !(value > 0 || (value === 0 && name !== 'deadlineMs')),
    )
    .map(([name]) => ({ field: `options.${name}`, problem: 'must be above 0' }))
  if (problems.length > 0) throw new ValidationError(PLACE, problems)
}

/** Says of every error that the message is there, so that nobody adds it twice. */
function afterAdding(error: unknown, messageId: string, deadlineMs: number): unknown {
  const added = `message ${messageId} was added: list the messages instead of adding it again`
  if (error instanceof Ended) {
    const { failure } = error
    if (failure.kind === 'aborted')
      return new AbortedError(`${PLACE}: aborted`, { cause: failure.reason, hint: added })
    return new TimeoutError(`${PLACE}: the agent was not done within ${deadlineMs} ms`, {
      phase: 'wait',
      limit: 'deadlineMs',
      hint: added,
    })
  }
  if (isClientError(error))
    Object.assign(error, { hint: [error.hint, added].filter(Boolean).join('; ') })
  return error
}
