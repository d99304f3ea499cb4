import type { ContentBlock, Message } from '../types.ts'

/** The messages that followed a user message. */
export interface Turn {
  /** Everything new, oldest first. */
  messages: readonly Message[]
  /** The new messages of the assistant. */
  answers: readonly Message[]
  /** The assistant has said something and waits for nothing more. */
  isAnswered: boolean
  /** The answers may belong to a message that was queued earlier. */
  isDoubtful: boolean
}

/**
 * How long an agent may take to continue with the next queued message after an answer. After that, the
 * answer was to both messages, or the agent was interrupted.
 */
export const PATIENCE_MS = 120_000

/**
 * Reads a turn from the messages that came after `ownId`.
 *
 * The specification has no endpoint that tells the status of a session, so the end of a turn is inferred from the
 * messages: an agent continues as long as it calls tools. A turn is over when its newest entry is an assistant
 * message with content, every tool call has its result, no hook is running, and the model does not mark the
 * message as commentary. If messages have a `parentId`, only those that belong to the message `ownId` count.
 */
export function readTurn(
  found: readonly Message[],
  ownId?: string,
  earlier: readonly Message[] = [],
): Turn {
  const isChained = found.some(({ parentId }) => parentId)
  const prompt = found.filter(({ id }) => id === ownId)
  // The order of the list is not documented; `createdAt` is.
  const others = found.filter(({ id }) => id !== ownId).sort(byTime)
  const owners = ownersOf([...earlier, ...prompt, ...others])
  const isOwn = ({ id }: Message) => !isChained || owners.get(id) === ownId
  // The clock of the agent may be behind that of the service, so that its answers seem to be older than the message.
  const messages = others.filter((one) => isOwn(one) || !prompt.some((own) => byTime(one, own) < 0))
  const all = messages.filter(({ role }) => role === 'assistant' || role === 'tool')
  const own = all.filter(isOwn)
  const isDoubtful = !own.length
  const work = isDoubtful ? all : own
  return {
    messages,
    answers: work.filter(({ role }) => role === 'assistant'),
    isAnswered:
      isFinal(work.at(-1), work) && !messages.some(({ hookStatus }) => hookStatus === 'executing'),
    isDoubtful,
  }
}

/**
 * Maps each message to the user message it belongs to. A `parentId` that is just the previous message
 * tells nothing: the agent is then assumed to work on the oldest unanswered user message.
 */
function ownersOf(messages: readonly Message[]) {
  type Id = string | undefined
  const owners = new Map<Id, Id>()
  const waiting = new Set<Id>()
  let before: Message | undefined
  let owner: Id
  for (const message of messages) {
    const { id, parentId } = message
    if (isPrompt(message)) {
      if (before && isOver(before, message)) waiting.clear()
      waiting.add(id)
      owner = id
    } else {
      const named = (parentId !== before?.id && owners.get(parentId)) || undefined
      if (waiting.has(named)) dropBefore(waiting, named)
      owner = named ?? [...waiting][0] ?? owner
    }
    owners.set(id, owner)
    if (isFinal(message)) waiting.delete(owner)
    before = message
  }
  return owners
}

/** The agent takes messages in order: it is done with those before, such as one that it had a question about. */
function dropBefore<Item>(items: Set<Item>, last: Item) {
  for (const item of items) {
    if (item === last) return
    items.delete(item)
  }
}

/** Whether the user wrote the message. Messages from hooks and notes to the agent can have the role `user` too. */
function isPrompt({ role, visibility = 'both', hookEventName }: Message): boolean {
  return role === 'user' && visibility === 'both' && !hookEventName
}

/** Whether the agent had stopped before `next`: a long silence, and no tool that was still running. */
function isOver(before: Message, next: Message): boolean {
  return byTime(next, before) > PATIENCE_MS && (before.role !== 'assistant' || isFinal(before))
}

/** Compares creation times. Times that are not numbers leave the order as it is. */
export function byTime(a: Message, b: Message): number {
  return a.createdAt - b.createdAt || 0
}

/** Whether `last` ends the turn: an answer, and no tool call in `work` is open. */
function isFinal(last: Message | undefined, work = last ? [last] : []): boolean {
  if (last?.role !== 'assistant' || last.providerPhase === 'commentary') return false
  return (last.isError === true || blocksOf(last).length > 0) && !hasOpenCall(work)
}

function hasOpenCall(messages: readonly Message[]): boolean {
  const blocks = messages.flatMap(blocksOf)
  const done = new Set(blocks.map((block) => block.type === 'tool_result' && block.toolUseId))
  return blocks.some((block) => block.type === 'tool_use' && !done.has(block.id))
}

/** Responses are passed on even if they differ from the known shape, so `content` may be anything. */
function blocksOf({ content }: Message): ContentBlock[] {
  return Array.isArray(content) ? content.filter((block) => typeof block === 'object' && block) : []
}

/** The text of a message: its text blocks, with a blank line between them. Empty if it has none, or is undefined. */
export function textOf(message: Pick<Message, 'content'> | undefined): string {
  const { content } = Object(message)
  const blocks = Array.isArray(content) ? content : []
  const texts = blocks.flatMap((block) =>
    block?.type === 'text' ? [String(block.text ?? '')] : [],
  )
  return texts.join('\n\n')
}
