import type { ContentBlock, Message } from '../types/index.ts'

/** What came after a user message. */
export interface Turn {
  /** Everything new, oldest first. */
  messages: readonly Message[]
  /** The new messages of the assistant. */
  answers: readonly Message[]
  /** The assistant has said something and waits for nothing more. */
  isAnswered: boolean
  /** The answers may be those to a message that was queued before. */
  isDoubtful: boolean
}

/**
 * How long an agent is given to continue with the next message after it has answered one. After that, the
 * answer was to both, or the agent was interrupted.
 */
export const PATIENCE_MS = 120_000

/**
 * Reads a turn from the messages that came after `ownId`.
 *
 * The specification has no endpoint that tells the status of a session, so the end of a turn is read from the
 * messages: an agent continues as long as it calls tools. A turn is over when its newest entry is an assistant
 * message with content, every tool call has its result, no hook is running, and the model does not call the
 * message a commentary. Where messages name their parents, only what belongs to the own message counts.
 */
export function readTurn(
  found: readonly Message[],
  ownId: string | undefined,
  earlier: readonly Message[] = [],
): Turn {
  // The order of the list is not documented; the times are.
  const sorted = [...found].sort(byTime)
  const isChained = found.some(({ parentId }) => parentId)
  const start = isChained ? sorted.findIndex(({ id }) => id === ownId) + 1 : 0
  const messages = sorted.slice(start).filter(({ id }) => id !== ownId)
  const all = messages.filter(({ role }) => role === 'assistant' || role === 'tool')
  const owners = ownersOf([...earlier, ...found].sort(byTime))
  const own = isChained ? all.filter(({ id }) => owners.get(id) === ownId) : all
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
 * Tells to which user message each message belongs. A parent that is simply the message before says
 * nothing: then the agent works on the oldest user message without an answer.
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
    } else owner = (parentId !== before?.id && owners.get(parentId)) || ([...waiting][0] ?? owner)
    owners.set(id, owner)
    if (isFinal(message)) waiting.delete(owner)
    before = message
  }
  return owners
}

/** Hooks and notes to the agent can have the role of the user as well. */
function isPrompt({ role, visibility = 'both', hookEventName }: Message): boolean {
  return role === 'user' && visibility === 'both' && !hookEventName
}

/** Nobody works any more on what was left then, unless a tool was still running. */
function isOver(before: Message, next: Message): boolean {
  return byTime(next, before) > PATIENCE_MS && (before.role !== 'assistant' || isFinal(before))
}

/** Times that are not numbers leave the order as it is. */
export function byTime(a: Message, b: Message): number {
  return a.createdAt - b.createdAt || 0
}

/** Says whether nothing comes after a message, given what it belongs to. */
function isFinal(last: Message | undefined, work = last ? [last] : []): boolean {
  if (last?.role !== 'assistant' || last.providerPhase === 'commentary') return false
  return (last.isError === true || blocksOf(last).length > 0) && !hasOpenCall(work)
}

function hasOpenCall(messages: readonly Message[]): boolean {
  const blocks = messages.flatMap(blocksOf)
  const done = new Set(blocks.map((block) => block.type === 'tool_result' && block.toolUseId))
  return blocks.some((block) => block.type === 'tool_use' && !done.has(block.id))
}

/** Responses are passed on even if they are not as known, so `content` may be anything. */
function blocksOf({ content }: Message): ContentBlock[] {
  return Array.isArray(content) ? content.filter((block) => typeof block === 'object' && block) : []
}
