import type { Message } from '../schemas/message.ts'

/** What came after a user message. */
export interface Turn {
  /** Everything new, oldest first. */
  messages: readonly Message[]
  /** The new messages of the assistant. */
  answers: readonly Message[]
  /** The assistant has said something and waits for nothing more. */
  isAnswered: boolean
  /** Differs whenever something was added or changed. */
  fingerprint: string
}

/**
 * Reads a turn from the new messages of a session.
 *
 * The specification has no endpoint that tells the status of a session, so the end of a turn is read
 * from the messages: an agent goes on as long as it calls tools. A turn is over when its newest entry
 * is an assistant message with content, every tool call has its result, no hook is running, and the
 * model does not call the message a commentary.
 */
export function readTurn(found: readonly Message[], ownId: string): Turn {
  const messages = found
    .filter(({ id }) => id !== ownId)
    // The order of the list is not documented; the times are.
    .sort((a, b) => timeOf(a) - timeOf(b))
  const work = messages.filter(({ role }) => role === 'assistant' || role === 'tool')
  return {
    messages,
    answers: messages.filter(({ role }) => role === 'assistant'),
    isAnswered: isFinal(work.at(-1)) && !hasOpenCall(work) && !messages.some(isRunningHook),
    fingerprint: JSON.stringify(
      messages.map(({ id, updatedAt, content }) => [id, updatedAt, content]),
    ),
  }
}

function timeOf({ createdAt }: Message): number {
  return Number.isFinite(createdAt) ? createdAt : 0
}

function isFinal(last: Message | undefined): boolean {
  if (last?.role !== 'assistant' || last.providerPhase === 'commentary') return false
  return last.isError === true || blocksOf(last).length > 0
}

function hasOpenCall(messages: readonly Message[]): boolean {
  const blocks = messages.flatMap(blocksOf)
  const done = new Set(blocks.map(({ toolUseId }) => toolUseId))
  return blocks.some(({ type, id }) => type === 'tool_use' && !done.has(id))
}

/** Answers are passed on even if they are not as known, so `content` may be anything. */
function blocksOf({ content }: Message): Message['content'] {
  return Array.isArray(content) ? content.filter((block) => typeof block === 'object' && block) : []
}

function isRunningHook({ hookStatus }: Message): boolean {
  return hookStatus === 'executing'
}
