import { cutText } from '../text/clean.ts'
import { type Block, blocksOf, joinBlocks } from './answer-blocks.ts'
import { asks } from './asking.ts'
import { questionAtEnd } from './question-at-end.ts'
import { inOrder } from './shorten-answer.ts'

/** About as much as a phone shows without expanding the notification. */
const MAX_LENGTH = 600

/** The part of a long answer that is worth a notification. Markdown is kept. */
export interface Headline {
  text: string
  /** Whether the agent asks something, so that it waits for an answer. */
  isQuestion: boolean
  /** The rest of the answer, in its order; '' if there is none. */
  rest: string
}

/**
 * Selects the question at the end of an answer, with its choices. Of an answer that asks nothing, its text in its order, the
 * middle left out.
 */
export function headline(lastMessage: string, maxLength = MAX_LENGTH): Headline {
  const all = blocksOf(lastMessage)
  const blocks = withoutGoodbye(all)
  const question = questionAtEnd(blocks)
  if (question.length === 0) return withoutQuestion(blocks, maxLength)
  const whole = joinBlocks(question)
  const others = blocks.filter(
    (block, index) => !question.includes(block) && !isHeadingOf(block, question, blocks[index + 1]),
  )
  const rest = whole.length > maxLength ? all : others
  const cut = beginsWithQuestion(question) ? cutText : cutStart
  return { text: cut(whole, maxLength), isQuestion: true, rest: joinBlocks(rest) }
}

function withoutQuestion(blocks: readonly Block[], maxLength: number): Headline {
  const spoken = blocks.filter(({ type }) => type !== 'code')
  const text = inOrder(spoken.length > 0 ? spoken : blocks, maxLength)
  const rest = joinBlocks(blocks.filter((block) => !text.includes(block.text)))
  return { text, isQuestion: false, rest }
}

/** A heading without the text below it would seem to belong to other text. */
function isHeadingOf({ type }: Block, chosen: readonly Block[], next: Block | undefined): boolean {
  return type === 'heading' && next !== undefined && chosen.includes(next)
}

/** Of a longer answer only the end is searched. */
const MAX_SEARCHED = 16 * 1024

/** Whether an answer ends with a question, so that the agent waits for a person. */
export function asksAtEnd(lastMessage: string): boolean {
  return questionAtEnd(withoutGoodbye(blocksOf(lastMessage.slice(-MAX_SEARCHED)))).length > 0
}

const GOODBYE =
  /^(please )?(let me know if (you|there|anything)|feel free to|happy to|i'?m happy to|is there anything else|anything else|just let me know)\b[^\n]{0,160}$/i

/** Drops a polite phrase at the end, such as "let me know if ...", which is neither a question nor a result. */
function withoutGoodbye(blocks: readonly Block[]): readonly Block[] {
  const last = blocks.at(-1)
  const isGoodbye = blocks.length > 1 && last?.type === 'text' && GOODBYE.test(last.text)
  return isGoodbye ? blocks.slice(0, -1) : blocks
}

/** Whether a question is at the start, with what it is about below it. */
function beginsWithQuestion([question, ...below]: readonly Block[]): boolean {
  return question !== undefined && below.length > 0 && asks(question.text)
}

/** Truncates at the start, because a question is at the end. Drops whole lines where possible. */
function cutStart(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const lines = text.split('\n')
  while (lines.length > 1 && lines.join('\n').length > maxLength - 2) lines.shift()
  const rest = lines.join('\n')
  if (rest.length <= maxLength - 2) return `…\n${rest}`
  return `…${rest.slice(rest.length - maxLength + 1).toWellFormed()}`
}
