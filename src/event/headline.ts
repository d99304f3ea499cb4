import { cutText } from '../text/clean.ts'
import { areChoices, shareName } from './choices.ts'

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

interface Block {
  text: string
  type: 'text' | 'list' | 'table' | 'code' | 'heading'
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
    const cut = hasChoicesBelow(question) ? cutText : cutStart
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

/** Splits into paragraphs; a fenced code block is one, whatever it contains. */
function blocksOf(message: string): Block[] {
  const blocks: Block[] = []
  let lines: string[] = []
  let fence = ''
  const close = (type?: Block['type']) => {
    const text = lines.join('\n').trim()
    if (text) blocks.push({ text, type: type ?? typeOf(lines) })
    lines = []
  }
  for (const line of message.split('\n')) {
    const [, mark = ''] = /^\s*(`{3,}|~{3,})/.exec(line) ?? []
    if (!fence && mark) {
      close()
      fence = mark
      lines.push(line)
    } else if (fence) {
      lines.push(line)
      if (!mark.startsWith(fence)) continue
      fence = ''
      close('code')
    } else if (line.trim() === '' || (lines.length === 0 && isRule(line))) close()
    else {
      // A heading, and the first item of a list after its introduction, begin a new block.
      if (isHeading(line) || (isItem(line) && typeOf(lines) === 'text')) close()
      lines.push(line)
      if (isHeading(line)) close()
    }
  }
  close(fence ? 'code' : undefined)
  return blocks
}

function typeOf(lines: readonly string[]): Block['type'] {
  const [first = ''] = lines
  if (isHeading(first)) return 'heading'
  if (/^\s*\|/.test(first)) return 'table'
  return isItem(first) || shareName(lines) ? 'list' : 'text'
}

function isHeading(line: string): boolean {
  return /^\s{0,3}#{1,6}\s/.test(line) || /^\s*(\*\*|__)[^*_]+\1:?\s*$/.test(line)
}

/** A line between sections. Directly below a text, it makes that a heading. */
function isRule(line: string): boolean {
  return /^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(line)
}

function isItem(line: string): boolean {
  return /^\s*(([-*+•]|\d{1,3}[.)]|[A-Za-z][.)])\s|\d{1,2}[、．]|[①-⑳]|\d\ufe0f?\u20e3|（\w{1,2}）)/.test(
    line,
  )
}

const GOODBYE =
  /^(please )?(let me know if (you|there|anything)|feel free to|happy to|i'?m happy to|is there anything else|anything else|just let me know)\b[^\n]{0,160}$/i

/** Drops a polite phrase at the end, such as "let me know if ...", which is neither a question nor a result. */
function withoutGoodbye(blocks: readonly Block[]): readonly Block[] {
  const last = blocks.at(-1)
  const isGoodbye = blocks.length > 1 && last?.type === 'text' && GOODBYE.test(last.text)
  return isGoodbye ? blocks.slice(0, -1) : blocks
}

/** The last paragraph, with the one above it if the last is a list of choices; none if nothing is asked. */
function questionAtEnd(blocks: readonly Block[]): readonly Block[] {
  const last = blocks.at(-1)
  const before = blocks.at(-2)
  if (!last || last.type === 'code') return []
  // The head of a column, such as `Fixed?`, asks nobody.
  if (last.type !== 'table' && asks(last.text))
    return last.type === 'text' ? [last, ...choicesAbove(blocks)] : withIntroduction(last, before)
  if (hasIntroduction(last) && before && before.type !== 'code' && asks(before.text)) {
    return [before, last]
  }
  return []
}

const CHOICE = /\b(which|options?|prefer|choose|pick|one of|these|those|either)\b/i

const INTRODUCTION = /\b(options|choices|ways|approaches|alternatives|possibilities|either)\b/i

/** The list that a question at the end chooses from. It is shown below the question, which a phone shows first. */
function choicesAbove(blocks: readonly Block[]): readonly Block[] {
  const [last, ...above] = blocks.toReversed()
  const list = above.slice(
    0,
    Math.max(
      0,
      above.findIndex(({ type }) => type !== 'list'),
    ),
  )
  if (!last || !(CHOICE.test(last.text) || areChoices(last.text, linesOf(list)))) return []
  const end = above.findIndex(({ type }) => type !== 'list')
  if (end < 0) return above.reverse()
  // Otherwise this may be the list of the last choice only, or the choices behind something between them.
  const isWhole = INTRODUCTION.test(above[end]?.text ?? '')
  return isWhole || !above.slice(end).some(isList) ? above.slice(0, end).reverse() : []
}

function linesOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap(({ text }) => text.split('\n'))
}

function isList({ type }: Block): boolean {
  return type === 'list'
}

function hasChoicesBelow([question, choices]: readonly Block[]): boolean {
  return question?.type === 'text' && choices?.type === 'list' && asks(question.text)
}

/** "Which one" only begins a sentence that asks: within one, as in "it shows which of them failed", it tells. */
const REQUEST =
  /\b((let me know|tell me) (which|whether|what|how)|please (confirm|choose|decide|tell me)|(shall|should|may|can) i\b|(do|would) you (want|like|prefer)|(?<![\w,;)] )which (one|of|option)|waiting for your)\b/i

/** A polite question in Japanese usually ends with a full stop. */
const JAPANESE = /(ます|ません|です|でしょう|ましょう)か([。．]|$)/m

/** Whether a sentence ends with a question mark, or a phrase asks for something. Inline code does not count. */
function asks(text: string): boolean {
  const spoken = text.replace(/`[^`\n]*`/g, '').replace(/https?:\/\/\S+/g, '')
  // Chinese and Japanese have no space between sentences.
  const isMarked = /[？؟]|\?(?=["'”’»)\]*_~]*(\s|$))/.test(spoken)
  return isMarked || JAPANESE.test(spoken) || REQUEST.test(spoken)
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

function withIntroduction(block: Block, before: Block | undefined): Block[] {
  return hasIntroduction(block) && before?.type === 'text' ? [before, block] : [block]
}

/** A list or a table means little without the text above it. */
function hasIntroduction({ type }: Block): boolean {
  return type === 'list' || type === 'table'
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
