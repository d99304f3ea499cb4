import { cutText } from '../text/clean.ts'
import { type Block, blocksOf, isItem, withIntroduction } from './answer-blocks.ts'
import { asks } from './asking.ts'
import { questionAtEnd } from './question-at-end.ts'

/** About as much as a phone shows without expanding the notification. */
const MAX_LENGTH = 600

/** The part of a long answer that is worth a notification. Markdown is kept. */
export interface Headline {
  text: string
  /** Whether the agent asks something, so that it waits for an answer. */
  isQuestion: boolean
  /** The rest of the answer; '' if there is none. */
  rest: string
}

/**
 * Selects the question at the end of an answer, else its summary. The end counts more than the beginning, because an
 * agent states its result there.
 */
export function headline(lastMessage: string, maxLength = MAX_LENGTH): Headline {
  const all = blocksOf(lastMessage)
  const blocks = withoutGoodbye(all)
  const question = questionAtEnd(blocks)
  const chosen = question.length > 0 ? question : summaryOf(blocks)
  const whole = textOf(chosen)
  const others = blocks.filter(
    (block, index) => !chosen.includes(block) && !isHeadingOf(block, chosen, blocks[index + 1]),
  )
  const isQuestion = question.length > 0
  if (isQuestion) {
    const rest = whole.length > maxLength ? all : others
    const cut = beginsWithQuestion(question) ? cutText : cutStart
    return { text: cut(whole, maxLength), isQuestion, rest: textOf(rest) }
  }
  const text = cutText(whole, maxLength)
  return { text, isQuestion, rest: [...leftOf(whole, text), textOf(others)].join('\n\n').trim() }
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

/** A blank line where Markdown needs one: without it, a table or a list takes in the text below. */
function textOf(blocks: readonly Block[]): string {
  const parts = blocks.map(({ text }, index) => {
    const isBelowText = isItem(text) && blocks[index - 1]?.type === 'text'
    return `${index === 0 ? '' : isBelowText ? '\n' : '\n\n'}${text}`
  })
  return parts.join('')
}

/** What was cut off the end. */
function leftOf(whole: string, text: string): string[] {
  return text === whole ? [] : [`…${whole.slice(text.length - 1).trimStart()}`]
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

const SUMMARY =
  /(?:\b|_)(summary|in short|tl;?dr|result|outcome|what (i )?(changed|did)|changes|done|zusammenfassung)(?:\b|_)/i

/** The text below the last heading that announces a summary, else the last paragraph with its introduction. */
function summaryOf(blocks: readonly Block[]): readonly Block[] {
  const at = blocks.findLastIndex(({ type, text }) => type === 'heading' && SUMMARY.test(text))
  const below = at < 0 ? [] : blocks.slice(at + 1)
  const next = below.findIndex(({ type }) => type === 'heading')
  const section = below.slice(0, next < 0 ? undefined : next).filter(({ type }) => type !== 'code')
  if (section.length > 0) return section
  const spoken = blocks.filter(({ type }) => type !== 'code')
  const last = spoken.at(-1)
  const before = spoken.at(-2)
  if (!last) return blocks.slice(-1)
  return withIntroduction(last, before)
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
